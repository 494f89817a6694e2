#include "salvage/hole_survey.h"
namespace zpack {
Status SurveyHoles(const Salvaging&, const SalvagedParts&, const RefsSnapshot&, const HistorySurvey&, SalvageReport&) { return {}; }
}
