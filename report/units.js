// Values as people read them. A unit has: text(value) with the unit in it, and name for headings.
'use strict';

function significant(value, digits) {
  if (value === 0) return '0';
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 12)).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
}

function grouped(value) {
  const [whole, part] = (Math.abs(value) >= 1000 ? value.toFixed(0) : significant(value, 4)).split('.');
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (part ? '.' + part : '');
}

// The largest of `steps` ([factor, name]) that is not above the value.
function scaled(value, steps) {
  let [factor, name] = steps[0];
  for (const step of steps) if (Math.abs(value) >= step[0] * 0.9995) [factor, name] = step;
  return significant(value / factor, 3) + ' ' + name;
}

const TIME_STEPS = [[1, 'ns'], [1e3, 'us'], [1e6, 'ms'], [1e9, 's'], [60e9, 'min'], [3600e9, 'h'], [86400e9, 'd']];
const BYTE_STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'].map((name, i) => [1024 ** i, name]);
const RATE_STEPS = [[1, 'B/s'], [1e3, 'kB/s'], [1e6, 'MB/s'], [1e9, 'GB/s']];

const UNITS = {
  time: {name: 'ns', steps: TIME_STEPS, text: (value) => scaled(value, TIME_STEPS)},
  bytes: {name: 'bytes', steps: BYTE_STEPS, text: (value) => scaled(value, BYTE_STEPS)},
  rate: {name: 'bytes/s', steps: RATE_STEPS, text: (value) => scaled(value, RATE_STEPS)},
  iops: {name: 'IOPS', text: (value) => grouped(value) + ' IOPS'},
  count: {name: 'I/Os', text: (value) => grouped(value) + (value === 1 ? ' I/O' : ' I/Os')},
  number: {name: '', text: grouped},
  ratio: {name: 'ratio', text: (value) => Number((100 * value).toFixed(2)) + ' %'},
  text: {name: '', text: String},
};

// What to write on an axis up to `most`: one unit for all of its ticks, which the title names.
function axisUnit(unit, most) {
  const steps = unit.steps;
  if (unit === UNITS.ratio) return {factor: 0.01, name: '%'};
  if (!steps) return {factor: 1, name: unit === UNITS.iops ? unit.name : ''};
  let best = steps[0];
  for (const step of steps) if (most >= step[0] * 2) best = step;
  return {factor: best[0], name: best[1]};
}

// The value when it is a finite number, otherwise null: results come from files.
function number(value) {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
