// The page: a card for each result, which says what a manager asks, then the charts.
'use strict';

const ratioText = (value) => number(value) === null ? 'not known' : UNITS.ratio.text(value);
const text = (unit, value) => number(value) === null ? null : UNITS[unit].text(value);
const intervalText = (unit, entry) => number(entry.low) === null || number(entry.high) === null ? '' :
  ` (${UNITS[unit].text(entry.low).replace(/ %$/, '')} to ${UNITS[unit].text(entry.high)})`;

function predictionFacts(prediction) {
  if (!prediction) return [];
  return [['hits implied', number(prediction.hit_ratio_implied) === null ? 'cannot be told' :
    ratioText(prediction.hit_ratio_implied) + intervalText('ratio', prediction)],
    ...objects(prediction.predictions).map((one) => [`predicted, ${one.policy}, ${text('bytes', one.cache_bytes)}`,
      `${ratioText(one.hit_ratio)}, ${one.agrees === true ? 'agrees' : one.agrees === false ? 'does not agree' : 'cannot be told'}`])];
}

function deviceNames({devices, device_count: count}) {
  const names = objects(devices).map((device) => device.name);
  const more = (number(count) ?? 0) - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

// What a curve does not bound is not shown as a number.
function fittedText(unit, entry) {
  if (!entry) return null;
  const [low, high] = [text(unit, entry.low), text(unit, entry.high)];
  if (low !== null && high !== null) return text(unit, entry.value) + intervalText(unit, entry);
  return low !== null ? `at least ${low}` : high !== null ? `at most ${high}` : null;
}

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
        ['host', result.host], ['devices', deviceNames(result)],
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
    const conclusion = String(result.conclusion);
    return {verdict: conclusion.split(/[:.] /)[0], tone: 'doubt', facts: [], more: [element('p', {textContent: conclusion})]};
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
    const value = (name, unit, entry) => [name, fittedText(unit, entry)];
    const unknown = Array.isArray(result.cannot_tell) ? result.cannot_tell : [];
    const disks = fittedText('number', result.disks);
    return {
      verdict: disks === null ? 'The curve does not tell how many disks there are' : `The curve is that of ${disks} disks that serve at once`,
      more: unknown.length === 0 ? [] : [element('p', {textContent: `The curve cannot tell: ${unknown.join('; ')}.`})],
      facts: [value('disks', 'number', result.disks), value('time at disks', 'time', result.disk_ns),
              value('without a queue', 'time', result.unqueued_ns), value('link', 'iops', result.link_iops),
              value('hit ratio', 'ratio', result.hit_ratio)],
    };
  },
  comparison({result}) {
    const words = objects(result.most_important).map((one) => element('p', {textContent: `${one.key}: ${one.words}`}));
    const unanswered = (Array.isArray(result.unanswered) ? result.unanswered : [])
      .map((line) => element('p', {textContent: `Cannot be told: ${line}`}));
    const significant = objects(result.differences).filter((one) => one.significant === true);
    return {
      verdict: result.same === true ? 'No difference that matters' : result.same === false ? 'They differ' : 'It cannot be told whether they differ',
      tone: result.same === true ? 'good' : 'doubt',
      facts: [['A', result.a && result.a.name], ['B', result.b && result.b.name],
              ...predictionFacts(result.prediction), ['differences', `${significant.length} of ${objects(result.differences).length} matter`]],
      more: [...words, ...unanswered],
    };
  },
  plan({result}) {
    const candidates = objects(result.candidates);
    const best = candidates[number(result.choice) ?? -1];
    return {
      verdict: best ? `${best.array} with ${text('bytes', best.cache_bytes)} of cache and ${text('number', best.disks)} disks meets all targets`
        : 'No candidate meets all targets',
      tone: best ? 'good' : 'bad',
      facts: [['targets', result.targets.map(String).join(', ')], ['candidates', text('number', result.candidate_count ?? candidates.length)],
              ['growth', result.growth_of === 'data' ? 'of data and rate alike' : 'of the rate'],
              ['cost', best && text('number', best.cost)], ['headroom', best && headroomText(best)],
              ['months of headroom', best && overText(best, best.headroom_months)], ['short of then', best && limitText(best)]],
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
  curve: 'load curve', fit: 'fitted array', comparison: 'comparison', plan: 'capacity plan', lun: 'virtual LUN'};

function cardOf(input) {
  const {verdict, tone = '', facts, more = []} = CARDS[input.kind](input);
  const list = facts.filter(([, value]) => typeof value === 'string' && value !== '')
    .flatMap(([name, value]) => [element('dt', {textContent: name}), element('dd', {textContent: value})]);
  return element('article', {className: input.kind === 'explanation' ? 'card whole' : 'card'}, element('p', {className: 'kind', textContent: `${KIND_NAMES[input.kind]}: ${input.name}`}),
    element('p', {className: `verdict ${tone}`, textContent: verdict}), element('dl', {}, ...list), ...more);
}

// Tables that belong to no chart. Each kind gives [heading, columns [text, unit, key or function], rows' objects].
const TABLES = {
  explanation: ({result}) => [
    ['Point by point', [['outstanding', 'number', 'outstanding'], ['throughput', 'iops', 'iops'],
      ['latency', 'time', 'latency_ns'], ['hits implied', 'ratio', 'hit_ratio_implied'],
      ['hits expected', 'ratio', 'hit_ratio_expected'], ['verdict', 'text', 'verdict']], objects(result.points)],
    ['What may have done it', [['verdict', 'text', 'verdict'], ['likelihood', 'ratio', 'likelihood'],
      ['hypothesis', 'text', 'name'], ['why', 'text', 'why'], ['settled by', 'text', 'settled_by']],
      objects(result.hypotheses)],
  ],
  comparison: comparisonTables, plan: planTables,
};

function tablesOf(input) {
  const value = (entry, [, unit, key]) => {
    const raw = typeof key === 'function' ? key(entry) : entry[key];
    return unit === 'text' ? String(raw ?? '') : number(raw);
  };
  return (TABLES[input.kind] ?? (() => []))(input).filter(([, , list]) => list.length > 0).map(([heading, all, list]) => {
    const columns = all.filter((column) => list.some((entry) => (value(entry, column) ?? '') !== ''));
    const headings = columns.map(([text, unit]) => ({text, unit: UNITS[unit]}));
    const rows = list.map((entry) => columns.map((column) => value(entry, column)));
    return element('article', {className: 'card wide'}, element('h3', {textContent: `${heading}: ${input.name}`}),
      element('div', {className: 'scroll', tabIndex: 0}, tableElement({headings, rows})));
  });
}

// What `make` makes of an input; where that is not as rigel writes it, a word about it in its place.
function attempt(make, input, problems) {
  try {
    return make(input);
  } catch (error) {
    problems.push(`${input.name}: not all of it can be shown: ${error.message}`);
    return [];
  }
}

function figuresOf(inputs, problems) {
  const of = (kind, make) => inputs.filter((input) => input.kind === kind).flatMap((input) => attempt(make, input, problems));
  return [...of('model', modelFigures), ...loadFigures(inputs), ...of('explanation', explanationFigures),
          ...of('comparison', predictionFigures), ...of('plan', planFigures),
          ...of('replay', replayFigures), ...of('trace', traceFigures)];
}

function show({inputs}) {
  const problems = [];
  const cards = inputs.flatMap((input) => attempt(cardOf, input, problems));
  const tables = inputs.flatMap((input) => attempt(tablesOf, input, problems));
  const views = figuresOf(inputs, problems).map((figure) => new FigureView(figure));
  document.getElementById('summary').append(element('h2', {textContent: 'Summary'}), element('div', {className: 'cards'}, ...cards),
    ...problems.map((problem) => element('p', {className: 'verdict bad', textContent: problem})));
  if (tables.length > 0) document.getElementById('tables').append(element('h2', {textContent: 'Tables'}), ...tables);
  if (views.length === 0) return;
  document.getElementById('charts').append(element('h2', {textContent: 'Charts'}),
    element('div', {className: 'figures'}, ...views.map((view) => view.root)));
  const draw = () => views.forEach((view) => {
    try {
      view.draw();
    } catch (error) {
      view.root.replaceChildren(element('p', {className: 'verdict bad', textContent: `${view.figure.title}: cannot be drawn: ${error.message}`}));
    }
  });
  draw();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  // Paper is white, whatever the screen is.
  const printing = (on) => {
    document.documentElement.classList.toggle('printing', on);
    views.forEach((view) => view.print(on));
    draw();
  };
  addEventListener('beforeprint', () => printing(true));
  addEventListener('afterprint', () => printing(false));
}

show(JSON.parse(document.getElementById('results').textContent));
