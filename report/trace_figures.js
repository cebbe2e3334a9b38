// Figures of what a trace holds: the JSON of rigel info.
'use strict';

// [label, distribution] of each group of {queue_time_ns, service_time_ns, response_time_ns}, the first there is.
function answerTimes(groups) {
  return Object.entries(groups ?? {}).map(([label, group]) =>
    [label || 'no role known', group.response_time_ns ?? group.service_time_ns]);
}

function timeAxis() {
  return {title: 'time', unit: 'time', scale: 'linear'};
}

function timelineFigures({name, result}) {
  const timeline = result.timeline;
  if (!timeline || !(number(timeline.interval_ns) > 0)) return [];
  const series = (label, values) =>
    ({label, x: values.map((_, i) => i * timeline.interval_ns), y: values.map((value) => number(value)), fill: true});
  const each = `Averages over ${UNITS.time.text(timeline.interval_ns)}.`;
  const figures = [];
  const byRole = (title, axis, key, unit) => {
    if (!Array.isArray(timeline[key])) return;
    const roles = Object.entries(timeline.roles ?? {}).filter(([, role]) => Array.isArray(role[key]));
    const parts = roles.length > 0 ? roles.map(([role, of]) => series(role || 'no role known', of[key]))
      : [series('all', timeline[key])];
    figures.push({title: `${title}: ${name}`, type: 'line', common: true, stacked: true, series: parts, x: timeAxis(),
                  y: {title: axis, unit, scale: 'linear'},
                  about: `${each} The roles are stacked: the uppermost edge is the whole.`});
  };
  byRole('IOPS over time, by role', 'I/Os a second', 'iops', 'iops');
  byRole('MB/s over time, by role', 'throughput', 'bytes_per_second', 'rate');
  if (Array.isArray(timeline.outstanding)) {
    figures.push({title: `Queue depth over time: ${name}`, type: 'line', common: true, x: timeAxis(),
                  series: [series('outstanding I/Os', timeline.outstanding)], about: each,
                  y: {title: 'outstanding I/Os', unit: 'number', scale: 'linear'}});
  }
  return figures;
}

function latencyMapFigures({name, result}) {
  const map = result.latency_map;
  if (!map || !Array.isArray(map.rows) || map.rows.length === 0) return [];
  return [{
    title: `Latency over time: ${name}`, type: 'heat', value: 'count', rows: map.rows, yBounds: map.bounds_ns,
    about: 'How many I/Os began when, and how long each took.', x: timeAxis(),
    xBounds: Array.from({length: map.rows[0].length + 1}, (_, i) => i * map.column_ns),
    y: {title: 'latency', unit: 'time', scale: 'log'},
  }];
}

function placeFigures({name, result}) {
  return objects(result.devices).filter((device) => device.heat_map).map((device) => {
    const map = device.heat_map;
    return {
      title: `Addresses over time: ${device.name}, ${name}`, type: 'heat', value: 'count', rows: map.rows,
      about: 'Where on the device I/Os went, and when.', x: timeAxis(),
      xBounds: Array.from({length: map.rows[0].length + 1}, (_, i) => i * map.column_ns),
      y: {title: 'address', unit: 'bytes', scale: 'linear'},
      yBounds: Array.from({length: map.rows.length + 1}, (_, i) => map.first_bytes + i * map.row_bytes),
    };
  });
}

function sizeFigures({name, result}) {
  const sizes = objects(result.sizes);
  if (sizes.length === 0) return [];
  return [{
    title: `Size mix: ${name}`, type: 'bar', common: true, about: 'I/Os by size, each bar up to the size it names.',
    x: {title: 'size', unit: 'text', scale: 'names', names: sizes.map((entry) => UNITS.bytes.text(entry.up_to_bytes))},
    y: {title: 'I/Os', unit: 'count', scale: 'linear'},
    series: [{label: 'reads', y: sizes.map((entry) => number(entry.reads))},
             {label: 'writes', y: sizes.map((entry) => number(entry.writes))}],
  }];
}

function traceFigures(input) {
  const {name, result} = input;
  const classes = objects(result.io_classes).map((kind) => [kind.name, kind.response_time_ns]);
  return [
    ...timelineFigures(input), ...latencyMapFigures(input),
    ...percentileFigure(`Latency by operation: ${name}`, 'Response times, from the block layer and back.',
      answerTimes(result.latency)),
    ...percentileFigure(`Latency by role: ${name}`, 'Response times of the I/Os of each role.', answerTimes(result.role_latency)),
    ...percentileFigure(`Latency by kind of database I/O: ${name}`, 'Response times.', classes),
    ...placeFigures(input), ...sizeFigures(input),
  ];
}
