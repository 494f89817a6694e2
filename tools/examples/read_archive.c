// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
/*
 * Prints the refs of a .zpack file, and the number and size of its objects of
 * each type:
 *
 *   cc read_archive.c $(pkg-config --cflags --libs zpack-c)
 *   ./a.out FILE
 */

#include <stdint.h>
#include <stdio.h>
#include <zpack.h>

struct Totals {
  uint64_t objects[5];
  uint64_t bytes[5];
};

static int PrintRef(const zpack_ref *ref, void *payload) {
  char hex[ZPACK_OID_HEX_SIZE];
  (void)payload;
  zpack_oid_to_hex(hex, &ref->target);
  printf("%s %s\n", ref->symref_target != NULL ? ref->symref_target : hex,
         ref->name);
  return 0;
}

/* `object->data` is the content, which hashes to `object->oid`. */
static int AddObject(const zpack_object_view *object, void *payload) {
  struct Totals *totals = payload;
  ++totals->objects[object->type];
  totals->bytes[object->type] += object->size;
  return 0;
}

static int Failed(void) {
  fprintf(stderr, "fatal: %s\n", zpack_error_last()->message);
  return 128;
}

int main(int argc, char **argv) {
  zpack_archive *archive = NULL;
  struct Totals totals = {{0}, {0}};
  int code;
  int type;
  if (argc != 2) {
    fprintf(stderr, "usage: %s <file>\n", argv[0]);
    return 129;
  }
  if (zpack_open(&archive, argv[1], NULL) != ZPACK_OK) return Failed();
  zpack_foreach_ref(archive, PrintRef, NULL);
  code = zpack_foreach_object(archive, NULL, AddObject, &totals);
  for (type = ZPACK_COMMIT; type <= ZPACK_TAG; ++type) {
    printf("%s %llu %llu\n", zpack_type_name(type),
           (unsigned long long)totals.objects[type],
           (unsigned long long)totals.bytes[type]);
  }
  zpack_archive_free(archive);
  return code == ZPACK_OK ? 0 : Failed();
}
