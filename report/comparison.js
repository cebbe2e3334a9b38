// Tables and figures of rigel compare: each figure of A and B in its unit, with what is certain of it.
'use strict';

const FIGURE_UNITS = {share: 'ratio', bytes: 'bytes', 'bytes/s': 'rate', ns: 'time', count: 'number'};

// The words of a difference's numbers; '' for what is not known.
function differenceTexts(one) {
  const unit = UNITS[FIGURE_UNITS[one.unit] ?? 'number'];
  const value = (amount) => number(amount) === null ? '' : unit.text(amount);
  const range = (part, words) => !part || number(part.low) === null || number(part.high) === null ? '' :
    ` (${words(part.low)} to ${words(part.high)})`;
  const plain = (amount) => number(amount) === null ? '' : grouped(amount);
  const shift = one.wasserstein;
  return {
    a: value(one.a) + range(one.a_interval, value), b: value(one.b) + range(one.b_interval, value),
    distance: plain(one.distance) + range({low: one.distance_low, high: one.distance_high}, plain),
    shift: shift && number(shift.value) !== null ? value(shift.value) + range(shift, value) : '',
  };
}

// In rigel compare's own words; where there are none, what is seen and not significant is not nothing.
function differenceVerdict(one) {
  if (one.significant === true) return 'different';
  if (typeof one.verdict === 'string') return one.verdict;
  return one.beyond_chance === true ? 'perhaps different, not certain' : 'no difference seen';
}

function probabilityText(p) {
  if (number(p) === null) return '';
  return p < 0.001 ? 'below 0.001' : p.toFixed(3);
}

function comparisonTables({result}) {
  const text = (part) => (one) => differenceTexts(one)[part];
  const rank = (one) => one.significant === true ? 0 : one.beyond_chance === true ? 1 : 2;
  const rows = objects(result.differences).sort((one, other) => rank(one) - rank(other));
  return [
    ['Figure by figure, with 95 % intervals', [['figure', 'text', 'key'], ['verdict', 'text', differenceVerdict],
      ['A', 'text', text('a')], ['B', 'text', text('b')], ['distance', 'text', text('distance')],
      ['typical shift', 'text', text('shift')], ['p', 'text', (one) => probabilityText(one.p)], ['in words', 'text', 'words']], rows],
  ];
}

// Of a prediction beside a measurement: the hit ratio that latencies imply, window by window.
function predictionFigures({name, result}) {
  const windows = objects(result.prediction && result.prediction.windows);
  if (windows.length === 0) return [];
  const x = windows.map((one) => one.from_ns);
  const column = (key) => windows.map((one) => number(one[key]));
  const predicted = objects(result.prediction.predictions).map((one) => ({
    label: `predicted, ${one.policy}, ${UNITS.bytes.text(one.cache_bytes)}`, x, y: x.map(() => one.hit_ratio), dashed: true}));
  return [{
    title: `Hit ratio predicted and implied: ${name}`, type: 'line', common: true, x: timeAxis(),
    about: 'What the latencies of reads imply in each stretch of time, with its interval, beside what was predicted.',
    y: {title: 'hit ratio', unit: 'ratio', scale: 'linear', most: 1},
    series: [{label: 'implied by latencies', x, y: column('hit_ratio_implied'), low: column('low'), high: column('high')}, ...predicted],
  }];
}
