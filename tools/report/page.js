'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const content = document.getElementById('content');

  // Names come from the repository: they only ever become text, and characters
  // that do not print or that change the direction of text are spelled out.
  const clean = (text) => text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
  const element = (name, properties = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) node.setAttribute(key, value);
    for (const child of children) node.append(child);
    return node;
  };
  const count = (n) => n.toLocaleString('en');
  const size = (n) => {
    const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
    let unit = 0;
    while (n >= 1024 && unit < units.length - 1) { n /= 1024; ++unit; }
    return (unit === 0 ? count(n) : n.toFixed(n < 10 ? 2 : 1)) + ' ' + units[unit];
  };
  const number = (n, text = count(n)) =>
    element('td', { class: 'number', 'data-value': n }, text);
  const bytes = (n) => number(n, size(n));
  const name = (text, empty) => element('td', { class: 'name' }, clean(text) || empty || '');
  const bar = (part, whole) => {
    const cell = element('td', { class: 'bar', 'aria-hidden': 'true' });
    const fill = element('span', { class: 'fill' });
    fill.style.width = (whole > 0 ? 100 * part / whole : 0) + '%';
    cell.append(fill);
    return cell;
  };

  const section = (id, title, ...children) => {
    const heading = element('h2', { id: id + '-title' }, title);
    const node = element('section', { id, 'aria-labelledby': id + '-title' }, heading, ...children);
    content.append(node);
    document.getElementById('sections').append(
      element('li', {}, element('a', { href: '#' + id }, title)));
    return node;
  };
  // `columns` are names; a name that begins with '#' is of a column of numbers.
  const table = (id, caption, columns, rows) => {
    const head = element('tr');
    for (const column of columns) {
      const kind = column.startsWith('#') ? { class: 'number' } : column === '' ? { class: 'bar' } : {};
      head.append(column === '' ? element('td', { ...kind, 'aria-hidden': 'true' })
        : element('th', { scope: 'col', ...kind }, column.replace('#', '')));
    }
    const body = element('tbody');
    for (const row of rows) body.append(element('tr', {}, ...row));
    return element('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': caption },
      element('table', { id }, element('caption', {}, caption), element('thead', {}, head), body));
  };
  const details = (title, ...children) =>
    element('details', {}, element('summary', {}, title), ...children);
  const sum = (row) => [number(row.objects), bytes(row.content_bytes), bytes(row.stored_bytes)];
  const most = (rows) => Math.max(1, ...rows.map((row) => row.stored_bytes));
  const commit = (index) => {
    if (index === null) return element('td', {}, '');
    const row = data.commits[index];
    return element('td', { class: 'name' }, element('code', {}, row.id.slice(0, 12)), ' ' + row.date + ' ',
      element('small', {}, clean(row.subject)));
  };

  const isFile = data.source === 'file';
  document.getElementById('source').append(
    (isFile ? 'File ' : 'Repository '), element('code', {}, clean(data.path)));
  document.title = clean(data.path) + ': where the bytes are';

  const types = Object.entries(data.types).map(([type, row]) => ({ type, ...row }));
  const total = types.reduce((all, row) => all + row.stored_bytes, 0);
  const overview = section('overview', 'Overview',
    table('types', 'Objects by type', ['Type', '#Objects', '#Content', '#Stored', ''],
      types.map((row) => [element('th', { scope: 'row' }, row.type), ...sum(row), bar(row.stored_bytes, total)])));
  if (isFile) {
    overview.append(element('p', { id: 'file-size', 'data-value': data.file_bytes },
      'The file has ' + size(data.file_bytes) +
      (data.depends_on.length > 0 ? ', with the files that it depends on.' : '.')));
    if (data.depends_on.length > 0) {
      overview.append(table('parts', 'Files that it depends on', ['File', '#Objects', '#Size', ''],
        data.depends_on.slice().reverse().map((row) => [name(row.path), number(row.objects), bytes(row.bytes),
          bar(row.bytes, data.file_bytes)])));
    }
  } else {
    const counts = data.count_objects;
    overview.append(table('counts', 'As git count-objects -v prints it', ['Count', '#Value'],
      Object.keys(counts).map((key) => [element('th', { scope: 'row' }, key), number(counts[key])])));
  }
  if (data.profiles) {
    const largest = Math.max(...data.profiles.map((row) => row.file_bytes));
    overview.append(table('profiles', 'Size of the .zpack file by profile', ['Profile', '#Size', '#Seconds', ''],
      data.profiles.map((row) => [element('th', { scope: 'row' }, row.profile), bytes(row.file_bytes),
        number(row.seconds, row.seconds.toFixed(1)), bar(row.file_bytes, largest)])));
  }
  overview.append(element('p', {}, count(data.refs) + ' refs, ' + count(data.history_commits) +
    ' commits in the history, ' + count(data.unreachable.objects) +
    ' objects that no commit reaches (' + size(data.unreachable.stored_bytes) + ').'));

  const advice = section('advice', 'Advice');
  if (data.advice.length === 0) {
    advice.append(element('p', {}, 'Nothing stands out.'));
  } else {
    advice.append(element('ul', {}, ...data.advice.map((row) =>
      element('li', { class: 'path' }, clean(row.text) + ' (' + size(row.stored_bytes) + ')'))));
  }
  // The treemap. Tiles with tiles below them are buttons.
  const nodes = data.directories.map((row, index) => ({ ...row, index, children: [] }));
  for (const node of nodes) if (node.index !== 0) nodes[node.parent].children.push(node);
  const label = (node) => node.index === 0 ? '(top)' : node.rest ? '(rest)' : clean(node.name);
  const crumbs = element('ul', { id: 'crumbs', 'aria-label': 'Directory shown' });
  const map = element('div', { id: 'map', role: 'group', 'aria-label': 'Treemap of directories and files by stored bytes' });
  const below = element('div', { id: 'below' });
  let shown = nodes[0];
  const draw = () => {
    const chain = [];
    for (let node = shown; ; node = nodes[node.parent]) {
      chain.unshift(node);
      if (node.index === 0) break;
    }
    crumbs.replaceChildren(...chain.map((node) => {
      const button = element('button', { type: 'button' }, label(node));
      if (node === shown) button.setAttribute('aria-current', 'true');
      button.addEventListener('click', () => show(node));
      return element('li', {}, button);
    }));
    const root = d3.hierarchy({ children: shown.children, stored_bytes: 0 },
      (node) => node === shown || node.index === undefined ? node.children : null)
      .sum((node) => node.stored_bytes)
      .sort((a, b) => b.value - a.value);
    d3.treemap().size([map.clientWidth, map.clientHeight]).round(true)(root);
    map.replaceChildren(...(root.children || []).filter((tile) => tile.x1 - tile.x0 > 1 && tile.y1 - tile.y0 > 1)
      .map((tile, place) => {
        const node = tile.data;
        const inner = node.children.length !== 0;
        const text = label(node) + (inner ? '/' : '');
        const box = element(inner ? 'button' : 'div', {
          class: 'tile', title: text + ': ' + size(node.stored_bytes) + ', ' + count(node.files) + ' files',
          ...(inner ? { type: 'button' } : {}) });
        Object.assign(box.style, { left: tile.x0 + 'px', top: tile.y0 + 'px',
          width: tile.x1 - tile.x0 + 'px', height: tile.y1 - tile.y0 + 'px',
          background: node.rest ? 'var(--rest)' : 'var(--t' + place % 6 + ')' });
        const fits = tile.x1 - tile.x0 > 44 && tile.y1 - tile.y0 > 18;
        const two = tile.y1 - tile.y0 > 36;
        if (fits) box.append(text, ...(two ? [element('br'), element('small', {}, size(node.stored_bytes))] : []));
        else if (inner) box.setAttribute('aria-label', text);
        if (inner) box.addEventListener('click', () => show(node));
        return box;
      }));
    const rows = [...shown.children].sort((a, b) => b.stored_bytes - a.stored_bytes);
    below.replaceChildren(details('The same as a table',
      table('directory', 'Directories and files in ' + label(shown), ['Name', '#Files', '#Blobs', '#Content', '#Stored', ''],
        rows.map((node) => [name(label(node)), number(node.files), ...sum(node), bar(node.stored_bytes, shown.stored_bytes)]))));
  };
  const show = (node) => {
    shown = node;
    draw();
    crumbs.querySelector('[aria-current]').focus();
  };
  section('directories', 'Directories',
    element('p', { class: 'soft' }, 'All versions of all files, by stored bytes. Choose a directory to go into it.'),
    crumbs, map, below);
  draw();
  window.addEventListener('resize', draw);

  const extensions = data.extensions;
  section('extensions', 'Extensions',
    table('extension-table', 'Blobs by extension', ['Extension', '#Blobs', '#Content', '#Stored', ''],
      extensions.slice(0, 40).map((row) => [name(row.extension, '(none)'), ...sum(row), bar(row.stored_bytes, most(extensions))])));

  const files = (id, caption, rows) => table(id, caption,
    ['Path', '#Versions', '#Content', '#Stored', 'First commit', 'Last commit'],
    rows.map((row) => [name(row.path, '(no path)'), ...sum(row), commit(row.first_commit), commit(row.last_commit)]));
  section('files', 'Largest blobs and files',
    table('blobs', 'The largest blobs, and the commits that brought them',
      ['Path', 'Blob', '#Content', '#Stored', 'Commit'],
      data.largest_blobs.map((row) => [name(row.path, '(no path)'),
        element('td', {}, element('code', {}, row.id.slice(0, 12))), bytes(row.content_bytes),
        bytes(row.stored_bytes), commit(row.commit)])),
    files('largest', 'Files with the most stored bytes', data.largest_files),
    files('longest', 'Files with the most versions', data.longest_histories));

  // Growth.
  const months = data.months;
  if (months.length !== 0) {
    const width = 960;
    const height = 300;
    const left = 80;
    let all = 0;
    const at = (month) => Number(month.slice(0, 4)) + (Number(month.slice(5)) - 1) / 12;
    const points = months.map((row) => ({ at: at(row.month), sum: all += row.stored_bytes }));
    const begin = points[0].at;
    const end = Math.max(points[points.length - 1].at, begin + 1 / 12);
    const x = (point) => left + (width - left - 10) * (point.at - begin) / (end - begin);
    const y = (point) => height - 30 - (height - 50) * point.sum / Math.max(1, all);
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const draws = (tag, attributes, text) => {
      const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
      if (text !== undefined) node.textContent = text;
      svg.append(node);
    };
    svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', 'Stored bytes by the month of the commit that brought them: ' + size(all) + ' in all. The table below has the same by year.');
    for (const part of [0, 0.5, 1]) {
      const level = y({ sum: all * part });
      draws('line', { x1: left, x2: width - 10, y1: level, y2: level });
      draws('text', { x: left - 6, y: level + 5, 'text-anchor': 'end' }, size(all * part));
    }
    draws('path', { class: 'area', d: d3.area().x(x).y0(height - 30).y1(y).curve(d3.curveStepAfter)(points) });
    draws('path', { class: 'curve', d: d3.line().x(x).y(y).curve(d3.curveStepAfter)(points) });
    draws('text', { x: left, y: height - 8 }, months[0].month);
    draws('text', { x: width - 10, y: height - 8, 'text-anchor': 'end' }, months[months.length - 1].month);
    const years = new Map();
    for (const row of months) {
      const year = row.month.slice(0, 4);
      const so_far = years.get(year) || { commits: 0, objects: 0, content_bytes: 0, stored_bytes: 0 };
      for (const key of Object.keys(so_far)) so_far[key] += row[key];
      years.set(year, so_far);
    }
    const rows = [...years.values()];
    section('growth', 'Growth', svg, details('The same by year',
      table('years', 'What the commits of each year brought', ['Year', '#Commits', '#Objects', '#Content', '#Stored', ''],
        [...years].map(([year, row]) => [element('th', { scope: 'row' }, year), number(row.commits), ...sum(row), bar(row.stored_bytes, most(rows))]))));
  }

  const dense = section('incompressible', 'What does not compress');
  if (data.incompressible.length === 0) {
    dense.append(element('p', {}, 'Nothing in the sample.'));
  } else {
    dense.append(table('reasons', 'Recognised by the first bytes, and by a trial with zstd',
      ['Content', 'Kind', '#Files', '#Blobs', '#Content', '#Stored', '#Bits per byte', 'Examples'],
      data.incompressible.map((row) => [element('th', { scope: 'row' }, row.reason), element('td', {}, row.kind),
        number(row.files), ...sum(row), number(row.entropy, row.entropy.toFixed(2)),
        name(row.examples.map((example) => example.path).join(', '))])));
  }

  const histogram = (id, caption, unit, shape) => {
    const top = Math.max(1, ...shape.buckets.map((row) => row.objects));
    return table(id, caption + ': median ' + unit(shape.median) + ', 99 % up to ' + unit(shape.p99) + ', at most ' + unit(shape.maximum),
      ['#Up to', '#Blobs', ''],
      shape.buckets.map((row) => [number(row.up_to, unit(row.up_to)), number(row.objects), bar(row.objects, top)]));
  };
  section('reading', 'What reading costs',
    histogram('chains', 'Deltas between a blob and one that is whole', count, data.chain_lengths),
    histogram('costs', isFile ? 'Block data decoded for a blob, less its own size' : 'Stored bytes read for a blob, its bases included',
      size, data.read_costs));

  if (data.statistics) {
    section('streams', 'Streams of the file',
      table('stream-table', 'As git zpack show --stats prints it', ['Blocks', 'Type', 'Stream', '#Unpacked', '#Stored', ''],
        data.statistics.streams.map((row) => [element('td', {}, row.blocks), element('td', {}, row.type), element('td', {}, row.stream),
          bytes(row.unpacked_bytes), bytes(row.stored_bytes), bar(row.stored_bytes, most(data.statistics.streams))])));
  }
})();
