// Tables and figures of rigel plan: what each candidate does at each growth, and how much more it bears.
'use strict';

const MOST_PLANNED_SERIES = 8;

// {name, at_most, limit, unit} of 'p99(read)<5ms'.
function targetOf(text) {
  const [, name, sign, digits, suffix] = /^([^<>]*)([<>])=?\s*([\d.]+)\s*(\D*)$/.exec(String(text)) ?? [];
  const factors = {ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9, '%': 0.01};
  const unit = /^\s*(hit|busy)/.test(String(text)) ? 'ratio' : 'time';
  return {name: (name ?? String(text)).trim(), atMost: sign === '<', limit: Number(digits) * (factors[suffix] ?? 1), unit};
}

const candidateName = (one) => `${one.array}, ${text('bytes', one.cache_bytes)} of cache, ${text('number', one.disks)} disks`;
const overText = (one, value) => number(value) === null ? '' : `${one.headroom_is_more ? 'over ' : ''}${grouped(value)}`;
const headroomText = (one) => one.headroom === 0 ? 'none' : `${overText(one, one.headroom)} times the load`;

function limitText(one) {
  if (!one.limit) return one.headroom_is_more ? '' : 'no single part';
  if (one.limit_cured_by_twice !== false) return one.limit;
  return one.limit + (one.limit === 'cache' && one.cache_bytes === 0 ? ' (1 GiB is not enough)' : ' (twice is not enough)');
}

function reachedText(step) {
  if (step.overloaded) return 'overloaded';
  return objects(step.targets).map((one) => {
    const {name, unit} = targetOf(one.target);
    return `${name} ${text(unit, one.value) ?? 'not known'}${one.met ? '' : ', missed'}`;
  }).join('; ');
}

const partsText = (step) => objects(step.parts).map((part) => `${part.name} ${text('ratio', part.utilisation)}` +
  (part.busiest > part.utilisation ? ` (busiest ${text('ratio', part.busiest)})` : '')).join(', ');

function planTables({result}) {
  const candidates = objects(result.candidates);
  const growths = objects(candidates[0] && candidates[0].steps).map((step) => step.growth);
  const atGrowth = (growth, i) => [`at ${grouped(growth)} times the load`, 'text', (one) => {
    const step = objects(one.steps)[i];
    return step ? `${step.met ? 'yes' : 'NO'}: ${reachedText(step)}` : '';
  }];
  const steps = candidates.flatMap((one) => objects(one.steps).map((step) => ({...step, candidate: candidateName(one)})));
  const shown = steps.slice(0, 200);
  return [
    ['Candidates', [['array', 'text', 'array'], ['cache', 'bytes', 'cache_bytes'], ['disks', 'number', 'disks'],
      ['cost', 'number', 'cost'], ...growths.map(atGrowth), ['headroom', 'text', headroomText],
      ['months', 'text', (one) => overText(one, one.headroom_months)], ['short of', 'text', limitText]], candidates],
    [`What each part does${shown.length < steps.length ? `, the first ${shown.length} of ${steps.length} runs` : ''}`,
      [['candidate', 'text', 'candidate'], ['growth', 'number', 'growth'], ['met', 'text', (step) => step.met ? 'yes' : 'NO'],
       ['throughput', 'iops', 'iops'], ['hits', 'ratio', 'hit_ratio'], ['outstanding', 'number', 'outstanding'],
       ['p99', 'time', (step) => step.latency_ns && step.latency_ns.p99], ['busy', 'text', partsText]], shown],
    ['Left out, since they cannot be', [['array', 'text', 'array'], ['cache', 'bytes', 'cache_bytes'], ['disks', 'number', 'disks'],
      ['why', 'text', 'why']], objects(result.left_out)],
  ];
}

// Each target's value at each growth, of the candidate that is chosen and of the first others.
function targetFigures(name, result, candidates) {
  const chosen = candidates[number(result.choice) ?? -1];
  const drawn = [...(chosen ? [chosen] : []), ...candidates.filter((one) => one !== chosen)].slice(0, MOST_PLANNED_SERIES);
  const few = drawn.length < candidates.length ? ` Of ${candidates.length} candidates ${drawn.length} are drawn.` : '';
  return (Array.isArray(result.targets) ? result.targets : []).map((target, i) => {
    const {name: quantity, limit, unit} = targetOf(target);
    const series = drawn.map((one) => {
      const steps = objects(one.steps);
      return {label: candidateName(one), x: steps.map((step) => step.growth), dots: false,
              y: steps.map((step) => step.overloaded ? null : number(objects(step.targets)[i] && objects(step.targets)[i].value))};
    });
    const growths = [...new Set(series.flatMap((one) => one.x))];
    series.push({label: `target: ${target}`, x: growths, y: growths.map(() => number(limit)), dashed: true});
    return {
      title: `${quantity} against growth: ${name}`, type: 'line', series, common: true,
      about: `What each candidate reaches as the load grows; an overloaded one has no value.${few}`,
      x: {title: 'times the recorded load', unit: 'number', scale: 'linear'},
      y: unit === 'ratio' ? {title: quantity, unit, scale: 'linear', most: 1} : {title: quantity, unit, scale: 'log'},
    };
  });
}

function planFigures({name, result}) {
  const candidates = objects(result.candidates);
  if (candidates.length === 0) return [];
  const most = candidates.slice(0, 40);
  const few = most.length < candidates.length ? ` The first ${most.length} of ${candidates.length} candidates.` : '';
  return [...targetFigures(name, result, candidates), {
    title: `Headroom: ${name}`, type: 'bar', common: true,
    about: `How many times the recorded load each candidate bears within the targets; 0: not even the least asked for.${few}`,
    x: {title: 'candidate', unit: 'text', scale: 'names', names: most.map(candidateName)},
    y: {title: 'times the recorded load', unit: 'number', scale: 'linear'},
    series: [{label: 'headroom', y: most.map((one) => number(one.headroom))}],
  }];
}
