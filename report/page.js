// The page: a card for each result, which says what a manager asks, then the charts.
'use strict';

const ratioText = (value) => number(value) === null ? 'not known' : UNITS.ratio.text(value);
const text = (unit, value) => number(value) === null ? null : UNITS[unit].text(value);
const intervalText = (unit, entry) => number(entry.low) === null || number(entry.high) === null ? '' :
  ` (${UNITS[unit].text(entry.low).replace(/ %$/, '')} to ${UNITS[unit].text(entry.high)})`;

// Each gives {verdict, tone: 'good' | 'bad' | 'doubt', facts: [[name, text]], more: [elements]}.
const CARDS = {
  trace({result}) {
    const missing = number(result.lost) ?? 0;
    const answers = answerTimes(result.latency).map(([op, times]) => [`p99, ${op}`, text('time', times && times.p99)]);
    return {
      verdict: `${text('count', result.records) ?? 'I/Os'} in ${text('time', result.duration_ns) ?? 'an unknown time'}` +
        (missing > 0 ? `; ${UNITS.count.text(missing)} missing` : ''),
      tone: missing > 0 ? 'doubt' : '',
      facts: [
        ['host', result.host], ['devices', objects(result.devices).map((device) => device.name).join(', ')],
        ['reads', text('count', result.reads)], ['writes', text('count', result.writes)],
        ['rate', text('iops', result.iops)], ['busiest second', text('iops', result.peak_second_iops)],
        ['throughput', text('rate', result.bytes_per_second)], ['footprint', text('bytes', result.footprint_bytes)],
        ['outstanding', result.outstanding ? `${text('number', result.outstanding.mean)} on average` : null], ...answers,
      ],
    };
  },
  model({result}) {
    const asked = objects(result.results);
    // The largest size under the first policy that was asked for.
    const best = asked.filter((entry) => entry.policy === asked[0].policy).pop();
    return {
      verdict: best ? `A cache of ${text('bytes', best.cache_bytes)} hits ${ratioText(best.hit_ratio)}` : 'No cache size was asked for',
      facts: [
        ...asked.map((entry) => [`${entry.policy}, ${text('bytes', entry.cache_bytes)}`,
                                 `${ratioText(entry.hit_ratio)}${intervalText('ratio', entry)}`]),
        ['footprint', text('bytes', result.footprint_bytes)], ['accesses to pages', text('number', result.accesses)],
      ],
    };
  },
  replay({result}) {
    const faithful = result.fidelity.verdict === 'faithful';
    const lines = (list) => (Array.isArray(list) ? list : []).map((line) => element('p', {textContent: line}));
    return {
      verdict: faithful ? 'The replay was faithful' : 'The replay was not faithful', tone: faithful ? 'good' : 'bad',
      facts: [
        ['issued', `${text('number', result.issued)} of ${text('number', result.records)}`],
        ['rate', text('iops', result.iops)], ['throughput', text('rate', result.bytes_per_second)],
        ['duration', text('time', result.duration_ns)], ['recorded', text('time', result.recorded_duration_ns)],
        ['p99 of service', text('time', result.service_time_ns && result.service_time_ns.p99)],
        ['p99 of slip', text('time', result.fidelity.slip_ns && result.fidelity.slip_ns.p99)],
        ...Object.entries(result.errors ?? {}).map(([name, count]) => [`failed, ${name}`, text('number', count)]),
      ],
      more: [...lines(result.fidelity.reasons), ...lines(result.fidelity.advice)],
    };
  },
  explanation({result}) {
    const column = (heading, unit, key) => ({text: heading, unit: UNITS[unit], key});
    const table = (columns, list) => element('div', {className: 'scroll', tabIndex: 0},
      tableElement({headings: columns, rows: list.map((entry) => columns.map(({unit, key}) =>
        unit === UNITS.text ? String(entry[key] ?? '') : number(entry[key])))}));
    return {
      verdict: String(result.conclusion).split(/[:.] /)[0], tone: 'doubt', facts: [],
      more: [
        element('p', {textContent: String(result.conclusion)}),
        element('h3', {textContent: 'Point by point'}),
        table([column('outstanding', 'number', 'outstanding'), column('throughput', 'iops', 'iops'),
               column('latency', 'time', 'latency_ns'), column('hits implied', 'ratio', 'hit_ratio_implied'),
               column('hits expected', 'ratio', 'hit_ratio_expected'), column('verdict', 'text', 'verdict')], objects(result.points)),
        element('h3', {textContent: 'What may have done it'}),
        table([column('verdict', 'text', 'verdict'), column('likelihood', 'ratio', 'likelihood'),
               column('hypothesis', 'text', 'name'), column('why', 'text', 'why'),
               column('settled by', 'text', 'settled_by')], objects(result.hypotheses)),
      ],
    };
  },
  curve({result}) {
    const points = objects(result.points);
    const best = points.reduce((best, point) => number(point.iops) > (best ? best.iops : 0) ? point : best, null);
    const doubts = (Array.isArray(result.doubts) ? result.doubts : []).map((line) => element('p', {textContent: line}));
    return {
      verdict: best ? `At most ${text('iops', best.iops)}, ${text('time', best.latency_ns)} at ` +
        `${text('number', best.outstanding || best.outstanding_large)} outstanding` : 'No throughput is known',
      tone: doubts.length > 0 ? 'doubt' : '',
      facts: [['array', result.array], ['workload', result.work], ['how', result.method ?? result.command_line ?? 'measured'],
              ['points', String(points.length)], ['hit ratio there', best && text('ratio', best.hit_ratio)],
              ['bottleneck there', best && best.bottleneck]],
      more: doubts,
    };
  },
  fit({result}) {
    const value = (name, unit, entry) => [name, entry && `${text(unit, entry.value)}${intervalText(unit, entry)}`];
    return {
      verdict: `The curve is that of ${text('number', result.disks && result.disks.value)} disks that serve at once`,
      facts: [value('disks', 'number', result.disks), value('time at disks', 'time', result.disk_ns),
              value('without a queue', 'time', result.unqueued_ns), value('link', 'iops', result.link_iops),
              value('hit ratio', 'ratio', result.hit_ratio)],
    };
  },
  comparison({result}) {
    const differences = objects(result.differences);
    return {
      verdict: result.same ? 'No difference that matters' : 'They differ', tone: result.same ? 'good' : 'doubt',
      facts: differences.map((one) => [`${one.key}${one.significant ? '' : ' (not significant)'}`,
        [one.a, one.b].map((value) => number(value) === null ? String(value ?? '') : grouped(value)).join(' against ')]),
    };
  },
  lun({result}) {
    return {
      verdict: `The virtual LUN hit ${ratioText(result.hit_ratio)}`,
      facts: [['array', result.array], ['size', text('bytes', result.size_bytes)], ['cache', text('bytes', result.cache_bytes)],
              ['rate', text('iops', result.iops)], ['p99', text('time', result.latency_ns && result.latency_ns.p99)]],
    };
  },
};
const KIND_NAMES = {trace: 'recording', model: 'cache model', replay: 'replay', explanation: 'explanation of a load curve',
  curve: 'load curve', fit: 'fitted array', comparison: 'comparison', lun: 'virtual LUN'};

function cardOf(input) {
  const {verdict, tone = '', facts, more = []} = CARDS[input.kind](input);
  const list = facts.filter(([, value]) => typeof value === 'string' && value !== '')
    .flatMap(([name, value]) => [element('dt', {textContent: name}), element('dd', {textContent: value})]);
  return element('article', {className: input.kind === 'explanation' ? 'card wide' : 'card'}, element('p', {className: 'kind', textContent: `${KIND_NAMES[input.kind]}: ${input.name}`}),
    element('p', {className: `verdict ${tone}`, textContent: verdict}), element('dl', {}, ...list), ...more);
}

function figuresOf(inputs) {
  const of = (kind, make) => inputs.filter((input) => input.kind === kind).flatMap(make);
  return [...of('model', modelFigures), ...loadFigures(inputs), ...of('explanation', explanationFigures),
          ...of('replay', replayFigures), ...of('trace', traceFigures)];
}

function show({inputs}) {
  const wide = (input) => input.kind === 'explanation';
  document.getElementById('summary').append(element('h2', {textContent: 'Summary'}),
    element('div', {className: 'cards'}, ...inputs.filter((input) => !wide(input)).map(cardOf)),
    ...inputs.filter(wide).map(cardOf));
  const views = figuresOf(inputs).map((figure, i) => new FigureView(figure, i));
  if (views.length === 0) return;
  document.getElementById('charts').append(element('h2', {textContent: 'Charts'}),
    element('div', {className: 'figures'}, ...views.map((view) => view.root)));
  const draw = () => views.forEach((view) => view.draw());
  draw();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  // Paper is white, whatever the screen is.
  const printing = (on) => { document.documentElement.classList.toggle('printing', on); draw(); };
  addEventListener('beforeprint', () => printing(true));
  addEventListener('afterprint', () => printing(false));
}

show(JSON.parse(document.getElementById('results').textContent));
