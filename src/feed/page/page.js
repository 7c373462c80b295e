// The live page: keeps in touch with goband, shows what it says, and shows when it says nothing.

import { Board } from './board.js';
import { Recorder } from './recorder.js';
import { TEXTS, INFRACTIONS, NOTICES, REFEREE, pointName, fill, clockTime, faceTime, readTime } from './texts.js';

const $ = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
const html = document.documentElement;

/** Shown so many events at first; the rest on demand. */
const SHOWN = 200;
/** goband says that it lives every 5 s; after so long without a word it counts as gone. */
const SILENCE_MS = 12000;
const PICTURE_MS = 600;
/** A clock that runs and has said nothing for so long may show anything. */
const CLOCK_LATE_MS = 6000;
/** A call stays on the page for so long. */
const CALL_MS = 2500;

let language = html.lang === 'zh' ? 'zh' : 'en';
let t = TEXTS[language];
let state = null;
let health = null;
let life = null;
let events = [];
let shown = SHOWN;
let onlyReferee = false;
let link = 'connecting';
let heard = 0;
let operator = false;
let alarmed = new Set();
let clock = null;
let clockHeard = 0;
let called = null;
let order = '';
let turns = 0;

// ---- small things -------------------------------------------------------------------------------------------------

function remember(key, value) {
  try {
    if (value === undefined) return localStorage.getItem(`goband-${key}`);
    localStorage.setItem(`goband-${key}`, value);
  } catch {
    // private windows may forbid it; then the choice lasts as long as the page
  }
  return null;
}

/** An element with classes and content. */
function el(name, className, ...content) {
  const e = document.createElement(name);
  if (className) e.className = className;
  e.append(...content.filter((c) => c !== null && c !== undefined));
  return e;
}

const say = (text) => (text ? text[language] || text.en || text.zh || '' : '');
const point = (p) => pointName(p, state?.size ?? 19);
const kindName = (kind) => t.kinds[kind] ?? kind;

/** The sentence of an event; events without one get their name and place. */
function sentence(event) {
  const given = say(event.text);
  if (given) return given;
  const who = event.color ? t[event.color] : '';
  const where = event.point ? point(event.point) : '';
  return [kindName(event.kind), who, where].filter(Boolean).join(' ');
}

// ---- board --------------------------------------------------------------------------------------------------------

const board = new Board($('board'));
const overlay = query.get('overlay') === '1';
if (overlay) {
  html.classList.add('overlay');
  board.marks = query.get('marks') !== '0';
}
board.numbers = query.get('numbers') === '1' || (!overlay && remember('numbers') === '1');

function quarter() {
  return ((Math.round((state?.orientation ?? 0) / 90) + turns) % 4 + 4) % 4;
}

function showBoard() {
  if (!state) return;
  board.show(state, quarter());
  const last = state.last_move;
  const place = last ? (last.point ? `${t[last.color]} ${point(last.point)}` : `${t[last.color]} ${t.pass}`) : t.nobody;
  const called = say(last?.name);
  board.svg.setAttribute('aria-label', fill(t.board_label, { size: state.size, n: state.move, last: called ? `${place}${t.comma}${called}` : place }));
  $('move-number').textContent = state.move;
  $('last-move').textContent = place;
  $('last-name').textContent = called;
  $('prisoners-B').textContent = state.prisoners.B;
  $('prisoners-W').textContent = state.prisoners.W;
  for (const side of ['B', 'W']) {
    const charged = say(state.penalties?.[side]?.text);
    $(`penalties-${side}`).textContent = charged;
    $(`penalties-${side}`).parentElement.hidden = !charged;
  }
  const turn = $('turn');
  turn.replaceChildren(...(state.turn && !state.result ? [el('i', `dot ${state.turn}`), t[state.turn]] : [t.nobody]));
}

// ---- the referee's banner -----------------------------------------------------------------------------------------

const SIGNS = { good: '✓', wait: '…', look: '!', alarm: '!', gone: '×', over: '✓' };

/** What the banner says: the worst thing that holds. */
function verdictOfAll() {
  if (link === 'dead' || link === 'bye') {
    const time = heard ? new Date(heard).toLocaleTimeString(language === 'zh' ? 'zh-CN' : 'en-GB') : '–';
    return { status: 'gone', headline: t.not_answering, sentence: fill(t.not_answering_more, { time }) };
  }
  if (!state) return { status: 'wait', headline: t.starting, sentence: t.starting_more };
  const open = state.open_infractions ?? [];
  const grave = open.filter((e) => !NOTICES.has(e.kind));
  const slight = [...(state.notices ?? []), ...open.filter((e) => NOTICES.has(e.kind))];
  const ill = (health?.parts ?? []).filter((p) => p.condition !== 'well');
  const others = (list) => list.slice(0, -1).reverse();
  if (grave.length) return { status: 'alarm', event: grave.at(-1), others: [...others(grave), ...slight] };
  // where there is no picture, the notice about it counts more than older trouble
  if (slight.length) return { status: 'look', event: slight.at(-1), others: others(slight) };
  if (health && !health.well && (state.seq > 0 || ill.some((p) => p.name !== 'table'))) {
    const worst = ill.find((p) => p.condition === 'lost') ?? ill[0];
    const name = worst ? (t.parts[worst.name] ?? worst.name) : t.health;
    const word = worst ? t.conditions[worst.condition] : '';
    return { status: 'look', headline: `${name}: ${word}`, sentence: say(worst?.text) };
  }
  if (state.result) return { status: 'over', headline: t.ended, sentence: say(state.result) };
  if (!state.seq) return { status: 'wait', headline: t.waiting, sentence: t.waiting_more };
  return { status: 'good', headline: t.in_order, sentence: lastIncident() ?? t.in_order_more };
}

/** The last infraction and what became of it. */
function lastIncident() {
  const event = events.findLast((e) => INFRACTIONS.has(e.kind) && !NOTICES.has(e.kind));
  if (!event) return null;
  const after = events.findLast((e) => e.of === event.seq && (e.kind === 'repaired' || e.kind === 'decision'));
  const what = [clockTime(event.at_ms.first), kindName(event.kind), after ? kindName(after.kind) : t.settled];
  return fill(t.last_incident, { what: what.join(' · ') });
}

let bannerKey = '';
function showBanner() {
  showBreak();
  const now = verdictOfAll();
  const event = now.event;
  const headline = now.headline ?? kindName(event.kind);
  const text = now.sentence ?? sentence(event);
  const seen = event && state.acknowledged?.includes(event.seq);
  const lapsed = state?.lapsed?.includes(event?.seq);
  const key = JSON.stringify([language, now.status, headline, text, event?.seq, seen, lapsed, operator, now.others?.map((o) => o.seq)]);
  document.title = now.status === 'good' || now.status === 'over' ? `${state.table} · goband` : `⚠ ${headline} · goband`;
  // written only where it changes: a live region would read it aloud again
  if (key === bannerKey) return;
  bannerKey = key;
  document.body.dataset.status = now.status;
  document.body.dataset.seen = seen ? 'yes' : 'no';
  $('sign').textContent = SIGNS[now.status];
  $('headline').textContent = headline;
  $('sentence').textContent = text;
  const facts = [];
  const fact = (name, ...content) => facts.push(el('div', '', el('b', '', name), el('span', '', ...content)));
  if (event) {
    if (event.article) fact(t.article, event.article);
    if (event.verdict) fact(t.proposed, say(event.verdict));
    if (event.restore?.length) fact(t.restore, restoreText(event.restore));
    fact(clockTime(event.at_ms.first), fill(t.sure, { n: Math.round(event.confidence * 100) }));
    if (state.lapsed?.includes(event.seq)) fact(t.appeal, t.lapsed);
    if (seen) fact(t.seen_already, '✓');
  }
  $('particulars').replaceChildren(...facts);
  $('others').replaceChildren(...(now.others ?? []).map((o) => el('li', '', `${kindName(o.kind)} · ${sentence(o)}`)));
  const decidable = operator && event && (INFRACTIONS.has(event.kind) || event.kind === 'unexplained');
  $('decide').hidden = !decidable;
  $('decide').dataset.of = event?.seq ?? '';
  $('decide-answer').textContent = '';
  $('note-row').hidden = true;
  for (const b of $('decide').querySelectorAll('[data-do=acknowledge]')) b.disabled = Boolean(seen);
  if (now.status === 'alarm' && !alarmed.has(event.seq)) {
    alarmed.add(event.seq);
    if (!seen) ring();
  }
}

/** "take Q4 off, put White on D16", like steps together. */
function restoreText(steps) {
  const groups = new Map();
  for (const s of steps) groups.set(s.be, [...(groups.get(s.be) ?? []), point(s.at)]);
  const parts = [];
  for (const [be, points] of groups) {
    const names = points.length > 12 ? `${points.slice(0, 12).join(' ')} … (${points.length})` : points.join(' ');
    parts.push(be === '.' ? fill(t.remove, { point: names }) : fill(t.put, { color: t[be], point: names }));
  }
  return parts.join(language === 'zh' ? '，' : ', ');
}

// ---- operator -----------------------------------------------------------------------------------------------------

// `#token=…` gives an operator at another machine the right to decide; the fragment is never sent to anybody.
const token = new URLSearchParams(location.hash.slice(1)).get('token');
const authorized = token ? { Authorization: `Bearer ${token}` } : {};

async function askOperator() {
  try {
    const answer = await fetch('/api/operator', { headers: authorized });
    const { allowed } = await answer.json();
    operator = allowed === true;
  } catch {
    operator = false;
  }
  recorder.show(operator && !overlay);
  showBanner();
  showClock();
}

const send = (path, body) =>
  fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...authorized }, body: JSON.stringify(body) });

/** Sends what the operator wants; says at `out` what became of it. True if the table has it. */
async function post(path, body, out) {
  try {
    const answer = await send(path, body);
    const told = await answer.json();
    out.textContent = answer.ok ? t.sent : fill(t.not_sent, { why: say(told.text) || told.error });
    return answer.ok;
  } catch {
    out.textContent = fill(t.not_sent, { why: t.dead });
    return false;
  }
}

const recorder = new Recorder($('recorder'), () => ({ t, language, size: state?.size ?? 19 }), send);

/** What another verdict may charge; the first is a note without a penalty. */
const PENALTIES = {
  '': null,
  caution: { sanction: 'caution' }, warning: { sanction: 'warning' }, yellow: { sanction: 'yellow' }, red: { sanction: 'red' },
  1: { sanction: 'stones', stones: '1' }, 2: { sanction: 'stones', stones: '2' }, 3: { sanction: 'stones', stones: '3' },
  4: { sanction: 'stones', stones: '4' }, loss: { sanction: 'loss' },
};

async function decide(what) {
  const of = Number($('decide').dataset.of);
  const note = $('note').value.trim();
  const penalty = what === 'other' && PENALTIES[$('penalty').value];
  if (what === 'other' && !note && !penalty) {
    $('note-row').hidden = false;
    $('note').focus();
    return;
  }
  const path = what === 'acknowledge' ? '/api/acknowledge' : '/api/decision';
  const body = what === 'acknowledge' ? { of } : { of, verdict: what, ...(note && { note }), ...(penalty && { penalty }) };
  if (await post(path, body, $('decide-answer'))) $('note').value = $('penalty').value = '';
}

const onBreak = () => (state?.notices ?? []).some((n) => n.kind === 'break_begun');

/** The operator's button says what it would do. */
function showBreak() {
  $('break').hidden = !operator || !state?.seq || Boolean(state.result);
  $('break').textContent = onBreak() ? t.play_goes_on : t.break_begins;
}

$('break').addEventListener('click', async () => {
  const out = $('break-answer');
  if (await post('/api/break', { on: !onBreak() }, out)) out.textContent = '';
});

$('decide').addEventListener('click', (e) => e.target.dataset.do && decide(e.target.dataset.do));
$('decide').addEventListener('submit', (e) => {
  e.preventDefault();
  decide('other');
});

// ---- clock --------------------------------------------------------------------------------------------------------

/** What a side has left by now: the clock told it a moment ago. */
function leftNow(side) {
  const { ms } = clock[side];
  return clock.running === side ? Math.max(0, ms - clock.age_ms - (Date.now() - clockHeard)) : ms;
}

function showClock() {
  $('clock').hidden = !clock;
  if (!clock) return;
  for (const side of ['B', 'W']) {
    const { phase, periods } = clock[side];
    $(`face-${side}`).classList.toggle('runs', clock.running === side);
    $(`time-${side}`).textContent = faceTime(leftNow(side));
    $(`periods-${side}`).textContent = phase === 'over' ? t.clock_over : phase === 'period' ? `${periods} ${t.clock_periods}` : '';
  }
  const age = clock.age_ms + Date.now() - clockHeard;
  const late = clock.running && age > CLOCK_LATE_MS;
  const stands = clock.stopped ? t.clock_stopped_by_us : t.clock_stands;
  const word = clock.running ? fill(t.clock_runs, { side: t[clock.running] }) : stands;
  $('clock-word').textContent = late ? fill(t.clock_late, { s: Math.round(age / 1000) }) : word;
  $('clock').classList.toggle('late', Boolean(late));
  const fresh = called && Date.now() - called.heard < CALL_MS;
  $('clock-call').hidden = !fresh;
  if (fresh) $('clock-call').textContent = `${t[called.color] ?? ''} ${say(called.text)}`;
  $('clock-orders').hidden = !operator;
  for (const b of $('orders').children) {
    // times are set while both sides stand, so that nobody's runs off meanwhile
    b.disabled = b.dataset.order === 'stop' ? !clock.running : Boolean(clock.running);
  }
}

/** Asks before anything is done to the clock. */
function ask(what) {
  order = what;
  $('orders').hidden = Boolean(what);
  $('confirm').hidden = !what;
  $('clock-answer').textContent = '';
  if (!what) return;
  $('confirm-side').hidden = what !== 'resume';
  $('confirm-times').hidden = what !== 'set';
  $('confirm-question').textContent = t[`clock_ask_${what}`];
  $('confirm-yes').textContent = t[`clock_yes_${what}`];
  $('clock-side').value = clock.turn ?? state?.turn ?? 'B';
  for (const side of ['B', 'W']) {
    $(`set-time-${side}`).value = faceTime(clock[side].ms);
    $(`set-periods-${side}`).value = clock[side].phase === 'period' ? clock[side].periods : '';
  }
  (what === 'set' ? $('set-time-B') : $('confirm-yes')).focus();
}

/** What stands in the form for a side; null where it is no time. */
function sideToSet(side) {
  const ms = readTime($(`set-time-${side}`).value);
  const periods = Number($(`set-periods-${side}`).value);
  if (ms === null) return null;
  if (periods > 0) return { phase: 'period', ms, periods };
  // a clock that does not tell its phase is not told one
  return { phase: clock[side].phase === 'untold' ? 'untold' : 'main', ms };
}

$('orders').addEventListener('click', (e) => e.target.dataset.order && ask(e.target.dataset.order));
$('confirm-no').addEventListener('click', () => ask(''));
$('clock-orders').addEventListener('submit', async (e) => {
  e.preventDefault();
  if (!order) return;
  const body = { do: order };
  if (order === 'resume') body.side = $('clock-side').value;
  if (order === 'set') {
    [body.B, body.W] = ['B', 'W'].map(sideToSet);
    if (!body.B || !body.W) {
      $('clock-answer').textContent = t.clock_bad_time;
      return;
    }
  }
  ask('');
  await post('/api/clock', body, $('clock-answer'));
});
setInterval(showClock, 250);

// ---- sound --------------------------------------------------------------------------------------------------------

let audio = null;
function ring() {
  if (!audio) return;
  for (const [i, pitch] of [880, 660, 880].entries()) {
    const tone = audio.createOscillator();
    const loud = audio.createGain();
    const start = audio.currentTime + i * 0.22;
    tone.frequency.value = pitch;
    loud.gain.setValueAtTime(0.0001, start);
    loud.gain.exponentialRampToValueAtTime(0.25, start + 0.02);
    loud.gain.exponentialRampToValueAtTime(0.0001, start + 0.2);
    tone.connect(loud).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.22);
  }
}

$('sound').addEventListener('click', () => {
  // browsers allow sound only after a click, so it is off until somebody wants it
  audio = audio ? (audio.close(), null) : new AudioContext();
  showWords();
  ring();
});

// ---- events -------------------------------------------------------------------------------------------------------

function take(event) {
  if (event.seq <= (events.at(-1)?.seq ?? 0)) return;
  events.push(event);
  if (event.kind === 'clock_call') {
    called = { ...event, heard: Date.now() };
    showClock();
  }
  // what became of an earlier event is shown at that event as well
  const earlier = event.of !== undefined && $('events').querySelector(`[data-seq="${Number(event.of)}"]`);
  if (earlier) settle(earlier, event);
  if (wanted(event)) {
    $('events').prepend(row(event, true));
    while ($('events').children.length > shown) $('events').lastElementChild.remove();
  }
  showCount();
}

/** Seconds that are called are for the moment, and not for the list. */
const passing = (event) => event.kind === 'clock_call' && ['seconds', 'count'].includes(event.call?.kind);
const wanted = (event) => !passing(event) && (!onlyReferee || REFEREE.has(event.kind));

function showEvents() {
  const list = events.filter(wanted).slice(-shown).reverse();
  $('events').replaceChildren(...list.map((e) => row(e, false)));
  showCount();
}

function showCount() {
  const n = events.filter(wanted).length;
  $('none').hidden = n > 0;
  $('earlier').hidden = n <= shown;
}

const SETTLING = ['repaired', 'decision', 'corrected'];

/** Shows at an event's line what a later one said of it. */
function settle(li, later) {
  if (!SETTLING.includes(later.kind)) return;
  li.classList.add(later.kind === 'corrected' ? 'void' : 'settled');
  li.querySelector('.outcome')?.remove();
  li.querySelector('.what').append(el('span', 'outcome', `${later.kind === 'corrected' ? '' : '✓ '}${kindName(later.kind)}`));
}

const TONES = { repaired: 'good', play_resumed: 'good', source_back: 'good', board_found: 'good', sink_restored: 'good' };

function tone(kind) {
  if (NOTICES.has(kind)) return 'look';
  if (INFRACTIONS.has(kind)) return 'alarm';
  if (['unexplained', 'source_lost', 'board_lost', 'obstructed', 'sink_degraded', 'break_begun'].includes(kind)) return 'look';
  return TONES[kind] ?? '';
}

function row(event, isNew) {
  const played = event.kind === 'move' || event.kind === 'pass';
  const mark = played
    ? el('i', `dot ${event.color ?? ''}`, event.move === undefined ? '' : String(event.move))
    : el('i', 'mark');
  const head = el('div', 'what', el('b', '', played && event.point ? point(event.point) : kindName(event.kind)));
  const text = sentence(event);
  const words = played ? null : el('p', '', text);
  if (played && event.name) head.append(el('span', 'called', say(event.name)));
  if (played && event.captured?.length) head.append(el('span', 'takes', `+${event.captured.length}`));
  const sure = Math.round(event.confidence * 100);
  const when = el('div', 'when', el('time', '', clockTime(event.at_ms.last)), el('span', sure < 90 ? 'doubt' : '', `${sure} %`));
  when.title = `${clockTime(event.at_ms.first)} – ${clockTime(event.at_ms.last)}`;
  const particulars = [event.article && `${t.article} ${event.article}`, event.verdict && say(event.verdict)].filter(Boolean);
  const more = particulars.length ? el('p', 'law', particulars.join(' · ')) : null;
  const li = el('li', `${tone(event.kind)} ${played ? 'played' : ''} ${isNew ? 'new' : ''}`, mark, head, when, words, more);
  li.dataset.seq = event.seq;
  li.dataset.kind = event.kind;
  if (played) li.title = text;
  const later = events.findLast((e) => e.of === event.seq && SETTLING.includes(e.kind));
  if (later) settle(li, later);
  if (event.evidence && /^evidence\/[\w.\-/]+$/.test(event.evidence)) {
    const strip = el('div', 'thumbs');
    li.append(strip);
    thumbs(event, strip, 0);
  }
  return li;
}

// ---- evidence -----------------------------------------------------------------------------------------------------

/** The pictures of an event, in order: `[{role, src, time_ms}]`; empty while they are not written yet. */
async function pictures(event) {
  if (/\.(jpe?g|png)$/i.test(event.evidence)) return [{ role: 'during', src: `/${event.evidence}` }];
  const listing = await fetch(`/${event.evidence}/`);
  if (!listing.ok) return [];
  const { files } = await listing.json();
  if (files.includes('index.json')) {
    const index = await (await fetch(`/${event.evidence}/index.json`)).json();
    if (Array.isArray(index.pictures)) {
      return index.pictures
        .filter((p) => typeof p.file === 'string')
        .map((p) => ({ role: p.role, time_ms: p.time_ms, src: `/${event.evidence}/${p.file}` }));
    }
  }
  // pictures come first, their index last; until then only the folder tells
  const order = ['before', 'during', 'after'];
  return files
    .filter((f) => /\.(jpe?g|png)$/i.test(f))
    .map((f) => ({ role: f.replace(/\.\w+$/, ''), src: `/${event.evidence}/${f}` }))
    .sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role));
}

const roleName = (role) => t[role] ?? '';

/** Thumbnails of before, during, after. Evidence is written some seconds after its event, so ask again. */
async function thumbs(event, strip, tries) {
  let list = [];
  try {
    list = await pictures(event);
  } catch {
    // not there yet, or goband is gone: the banner tells
  }
  const three = ['before', 'during', 'after'].map((r) => list.find((p) => p.role === r)).filter(Boolean);
  if (three.length < 3 && tries < 6) setTimeout(() => strip.isConnected && thumbs(event, strip, tries + 1), 1500 + tries * 1500);
  const chosen = three.length ? three : list.slice(0, 3);
  if (!chosen.length) {
    strip.replaceChildren(el('span', 'none', t.no_pictures));
    return;
  }
  strip.replaceChildren(
    ...chosen.map((p) => {
      const img = el('img');
      img.src = p.src;
      img.alt = '';
      img.loading = 'lazy';
      const b = el('button', '', img, el('span', '', roleName(p.role)));
      b.type = 'button';
      b.setAttribute('aria-label', `${kindName(event.kind)}, ${roleName(p.role)}`);
      b.addEventListener('click', () => openViewer(event, list, list.indexOf(p)));
      return b;
    }),
  );
}

let viewed = { event: null, list: [], at: 0 };

function openViewer(event, list, at) {
  viewed = { event, list, at };
  $('viewer-strip').replaceChildren(
    ...list.map((p, i) => {
      const b = el('button', p.role === 'clip' ? 'clip' : '', p.role === 'clip' ? String(i - 2) : roleName(p.role) || String(i + 1));
      b.type = 'button';
      b.setAttribute('role', 'tab');
      b.addEventListener('click', () => view(i));
      return b;
    }),
  );
  view(at);
  $('viewer').showModal();
}

function view(at) {
  viewed.at = (at + viewed.list.length) % viewed.list.length;
  const p = viewed.list[viewed.at];
  $('viewer-picture').src = p.src;
  const time = p.time_ms === undefined ? '' : ` · ${(p.time_ms / 1000).toFixed(2)} s`;
  $('viewer-picture').alt = `${kindName(viewed.event.kind)}, ${roleName(p.role)}`;
  $('viewer-title').textContent = `${sentence(viewed.event)} · ${roleName(p.role) || p.role}${time}`;
  [...$('viewer-strip').children].forEach((b, i) => b.setAttribute('aria-selected', String(i === viewed.at)));
}

$('viewer').addEventListener('keydown', (e) => {
  if (e.key === 'ArrowRight') view(viewed.at + 1);
  if (e.key === 'ArrowLeft') view(viewed.at - 1);
});
$('viewer').addEventListener('click', (e) => e.target === $('viewer') && $('viewer').close());

// ---- camera -------------------------------------------------------------------------------------------------------

let pictureTag = null;
let pictureUrl = null;

async function refreshPicture() {
  const due = state?.picture && !document.hidden && $('camera').open && !overlay && link === 'live';
  $('camera').hidden = !state?.picture;
  if (due) {
    try {
      const answer = await fetch('/picture.jpg', { headers: pictureTag ? { 'If-None-Match': pictureTag } : {}, cache: 'no-store' });
      const age = Number(answer.headers.get('x-picture-age-ms') ?? 0);
      if (answer.status === 200) {
        pictureTag = answer.headers.get('etag');
        const url = URL.createObjectURL(await answer.blob());
        $('picture').src = url;
        if (pictureUrl) URL.revokeObjectURL(pictureUrl);
        pictureUrl = url;
      }
      // a frozen picture must not pass for a live one
      $('picture-age').hidden = age < 3000;
      $('picture-age').textContent = fill(t.old, { s: Math.round(age / 1000) });
    } catch {
      // the state of the connection tells
    }
  }
  setTimeout(refreshPicture, PICTURE_MS);
}

// ---- health -------------------------------------------------------------------------------------------------------

function showHealth() {
  if (!health) return;
  $('health-word').textContent = health.well ? t.well : t.unwell;
  $('health').classList.toggle('ill', !health.well);
  $('parts').replaceChildren(
    ...health.parts.map((p) => {
      const name = el('b', '', t.parts[p.name] ?? p.name);
      return el('li', p.condition, el('i', ''), name, el('span', '', say(p.text) || t.conditions[p.condition]));
    }),
  );
}

// ---- connection ---------------------------------------------------------------------------------------------------

function setLink(to) {
  link = to;
  $('link').dataset.link = to;
  const words = { live: t.live, reconnecting: t.reconnecting, connecting: t.connecting };
  $('link-text').textContent = words[to] ?? t.dead;
  showBanner();
}

/** Fetches all events of the game anew; tries again until it has them or another game has begun. */
async function fetchEvents() {
  const mine = life;
  const list = [];
  try {
    for (;;) {
      const answer = await fetch(`/api/events?after=${list.at(-1)?.seq ?? 0}`);
      if (!answer.ok) throw new Error(answer.statusText);
      const part = await answer.json();
      list.push(...part.events);
      if (!part.more || !part.events.length) break;
    }
  } catch {
    setTimeout(() => life === mine && fetchEvents(), 2000);
    return;
  }
  if (life !== mine) return;
  // what came over the stream meanwhile stays
  const last = list.at(-1)?.seq ?? 0;
  events = [...list, ...events.filter((e) => e.seq > last)];
  showEvents();
  showBanner();
}

let stream = null;
function connect() {
  stream?.close();
  stream = new EventSource('/api/stream');
  const hear = (name, then) =>
    stream.addEventListener(name, (message) => {
      heard = Date.now();
      if (link !== 'live') setLink('live');
      then?.(JSON.parse(message.data));
    });
  hear('state', (s) => {
    if (s.page !== html.dataset.page) return reload(s.page);
    const anew = s.life !== life;
    state = s;
    life = s.life;
    if (anew) {
      // another life of goband may hold another game
      events = [];
      alarmed = new Set();
      fetchEvents();
      askOperator();
    }
    $('table').textContent = s.table;
    $('record').textContent = s.record;
    $('version').textContent = `goband ${s.version}`;
    showBoard();
    showBanner();
  });
  hear('event', take);
  hear('health', (h) => {
    health = h;
    showHealth();
    showBanner();
  });
  hear('clock', (c) => {
    clock = c;
    clockHeard = Date.now();
    if (!clock && order) ask('');
    showClock();
  });
  hear('alive');
  hear('reset', () => {
    events = [];
    life = null;
  });
  stream.addEventListener('bye', () => setLink('bye'));
  stream.addEventListener('error', () => {
    if (link === 'live') setLink('reconnecting');
    // the browser gives up where the answer is an error; goband may come back
    if (stream.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
  });
}

/** goband has been renewed, and with it this page. */
function reload(page) {
  if (remember('reloaded') === page) return;
  remember('reloaded', page);
  location.reload();
}

let since = Date.now();
setInterval(() => {
  const quiet = Date.now() - (heard || since);
  if (quiet > SILENCE_MS && link !== 'dead') {
    setLink('dead');
    // a connection that is dead but not closed never ends by itself
    connect();
    since = Date.now();
  }
}, 1000);
addEventListener('online', connect);

// ---- words and colours --------------------------------------------------------------------------------------------

const THEMES = ['auto', 'light', 'dark'];
let theme = query.get('theme') ?? remember('theme') ?? 'auto';
if (!THEMES.includes(theme)) theme = 'auto';

function showWords() {
  t = TEXTS[language];
  html.lang = language === 'zh' ? 'zh' : 'en';
  for (const e of document.querySelectorAll('[data-t]')) e.textContent = t[e.dataset.t];
  recorder.words();
  $('picture').alt = t.picture_of;
  const chosen = $('penalty').value;
  $('penalty').replaceChildren(...Object.keys(PENALTIES).map((key) => new Option(t.penalties[key] ?? fill(t.stones, { n: key }), key)));
  $('penalty').value = chosen;
  for (const o of $('clock-side').options) o.textContent = t[o.value];
  for (const side of ['B', 'W']) {
    $(`set-time-${side}`).setAttribute('aria-label', `${t[side]} ${t.clock}`);
    $(`set-periods-${side}`).setAttribute('aria-label', `${t[side]} ${t.clock_periods}`);
    $(`set-periods-${side}`).placeholder = t.clock_periods;
  }
  $('language').textContent = language === 'zh' ? 'English' : '中文';
  $('language').lang = language === 'zh' ? 'en' : 'zh';
  $('theme').textContent = t[`theme_${theme}`];
  $('theme').title = t.theme;
  $('sound').textContent = audio ? t.sound_on : t.sound_off;
  $('sound').setAttribute('aria-pressed', String(Boolean(audio)));
  $('numbers').setAttribute('aria-pressed', String(board.numbers));
  $('filter').setAttribute('aria-pressed', String(onlyReferee));
  html.dataset.theme = theme;
}

function showAll() {
  showWords();
  setLink(link);
  showBoard();
  showEvents();
  showHealth();
  showBanner();
  showClock();
  if (order) ask(order);
}

$('language').addEventListener('click', () => {
  language = language === 'zh' ? 'en' : 'zh';
  // the address keeps the choice, so that it can be bookmarked for a screen
  query.set('lang', language);
  history.replaceState(null, '', `?${query}${location.hash}`);
  showAll();
});
$('theme').addEventListener('click', () => {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  remember('theme', theme);
  showWords();
});
$('numbers').addEventListener('click', () => {
  board.numbers = !board.numbers;
  remember('numbers', board.numbers ? '1' : '0');
  showWords();
  showBoard();
});
$('turn-board').addEventListener('click', () => {
  turns = (turns + 1) % 4;
  showBoard();
});
$('filter').addEventListener('click', () => {
  onlyReferee = !onlyReferee;
  shown = SHOWN;
  showWords();
  showEvents();
});
$('earlier').addEventListener('click', () => {
  shown += SHOWN;
  showEvents();
});

showAll();
connect();
refreshPicture();
