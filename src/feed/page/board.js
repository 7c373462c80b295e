// The board as SVG: wood, lines, stones, and the marks that tell the referee what is wrong.
// Enters: the state of the game. It knows nothing of connections and words.

import { pointName } from './texts.js';

const NS = 'http://www.w3.org/2000/svg';
// A real board is longer than wide: the pitch across is 22, along 23.7.
const PX = 44;
const PY = 47.4;
const EDGE = 58;
const RADIUS = 21.4;

function make(name, attributes = {}, ...children) {
  const e = document.createElementNS(NS, name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

/** A plank with straight grain, drawn once. */
function wood(width, height) {
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * 0.75);
  canvas.height = Math.round(height * 0.75);
  const c = canvas.getContext('2d');
  const image = c.createImageData(canvas.width, canvas.height);
  let seed = 7;
  const random = () => ((seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff);
  // Year rings cut lengthwise: lines of varying strength that waver slowly over the length of the plank.
  const smooth = (n, step) => {
    const knots = Array.from({ length: Math.ceil(n / step) + 2 }, random);
    return (x) => {
      const i = Math.floor(x / step);
      const t = x / step - i;
      const s = t * t * (3 - 2 * t);
      return (knots[i] ?? 0.5) * (1 - s) + (knots[i + 1] ?? 0.5) * s;
    };
  };
  const [broad, middle, fine] = [smooth(canvas.width + 80, 90), smooth(canvas.width + 80, 15), smooth(canvas.width + 80, 3)];
  const [bend, lean] = [smooth(canvas.height, 260), smooth(canvas.height, 70)];
  for (let y = 0; y < canvas.height; y++) {
    const shift = 40 + 22 * (bend(y) - 0.5) + 4 * (lean(y) - 0.5);
    for (let x = 0; x < canvas.width; x++) {
      const u = x + shift;
      const ring = 0.5 * broad(u) + 0.32 * middle(u) + 0.18 * fine(u);
      const fleck = random() < 0.012 ? -9 : 0;
      const v = 34 * (ring - 0.5) + 5 * (random() - 0.5) + fleck;
      const i = 4 * (y * canvas.width + x);
      image.data[i] = 224 + v;
      image.data[i + 1] = 181 + v * 1.05;
      image.data[i + 2] = 108 + v * 1.1;
      image.data[i + 3] = 255;
    }
  }
  c.putImageData(image, 0, 0);
  return canvas.toDataURL('image/jpeg', 0.9);
}

const DEFINITIONS = `
<radialGradient id="black" cx=".36" cy=".3" r=".78"><stop offset="0" stop-color="#6d727a"/><stop offset=".22" stop-color="#3b3f45"/><stop offset=".62" stop-color="#1b1d21"/><stop offset="1" stop-color="#08090a"/></radialGradient>
<radialGradient id="white" cx=".38" cy=".32" r=".8"><stop offset="0" stop-color="#ffffff"/><stop offset=".55" stop-color="#f7f4ec"/><stop offset=".86" stop-color="#dcd6c8"/><stop offset="1" stop-color="#b5ad9c"/></radialGradient>
<radialGradient id="shade"><stop offset=".6" stop-color="#2b1804" stop-opacity=".5"/><stop offset=".82" stop-color="#2b1804" stop-opacity=".22"/><stop offset="1" stop-color="#2b1804" stop-opacity="0"/></radialGradient>
<linearGradient id="gloss" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#fff" stop-opacity=".22"/><stop offset=".45" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#3a2000" stop-opacity=".16"/></linearGradient>
<marker id="head" viewBox="0 0 10 10" refX="7" refY="5" markerWidth="4.6" markerHeight="4.6" orient="auto-start-reverse"><path d="M0 0 10 5 0 10z" class="arrow-head"/></marker>`;

const STARS = { 9: [2, 4, 6], 13: [3, 6, 9], 19: [3, 9, 15] };

export class Board {
  /** Draws into that element. */
  constructor(element) {
    this.element = element;
    this.size = 0;
    this.quarter = 0;
    this.numbers = false;
    this.marks = true;
    this.state = null;
    this.stones = new Map();
  }

  /** Where a point (also a fractional one) lies in the drawing, turned as the viewer wants. */
  place([row, col]) {
    const last = this.size - 1;
    for (let i = 0; i < this.quarter; i++) [row, col] = [col, last - row];
    return [EDGE + col * PX, EDGE + row * PY];
  }

  /** Shows a state; `quarter` is the number of quarter turns clockwise. */
  show(state, quarter) {
    const rebuild = state.size !== this.size || quarter !== this.quarter || !this.svg;
    this.quarter = quarter;
    this.state = state;
    if (rebuild) {
      this.size = state.size;
      this.build();
    }
    this.drawStones(rebuild);
    this.drawMarks();
  }

  build() {
    const n = this.size;
    const width = 2 * EDGE + (n - 1) * PX;
    const height = 2 * EDGE + (n - 1) * PY;
    this.svg = make('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'go' });
    const definitions = make('defs');
    definitions.innerHTML = DEFINITIONS;
    const x = (i) => EDGE + i * PX;
    const y = (i) => EDGE + i * PY;
    const ground = make('g', { class: 'ground' });
    ground.append(
      make('image', { href: wood(width, height), width, height, preserveAspectRatio: 'none' }),
      make('rect', { width, height, fill: 'url(#gloss)' }),
    );
    let lines = '';
    for (let i = 1; i < n - 1; i++) lines += `M${x(i)} ${y(0)}V${y(n - 1)}M${x(0)} ${y(i)}H${x(n - 1)}`;
    const grid = make('g', { class: 'grid' });
    grid.append(
      make('path', { d: lines }),
      make('rect', { class: 'rim', x: x(0), y: y(0), width: (n - 1) * PX, height: (n - 1) * PY }),
    );
    const star = (p) => {
      const [cx, cy] = this.place(p);
      grid.append(make('circle', { class: 'star', cx, cy, r: 4.2 }));
    };
    const at = STARS[n] ?? [];
    if (n === 9 || n === 13) {
      for (const r of [at[0], at[2]]) for (const c of [at[0], at[2]]) star([r, c]);
      star([at[1], at[1]]);
    } else {
      for (const r of at) for (const c of at) star([r, c]);
    }
    const names = make('g', { class: 'names' });
    const name = (text, cx, cy) => names.append(make('text', { x: cx, y: cy }, text));
    for (let i = 0; i < n; i++) {
      // The names belong to the points, so they turn with the board.
      const across = this.unplace(0, i);
      const down = this.unplace(i, 0);
      const turned = this.quarter % 2 === 1;
      const letter = pointName(across, n)[0];
      const number = pointName(down, n).slice(1);
      const [top, side] = turned ? [pointName(across, n).slice(1), pointName(down, n)[0]] : [letter, number];
      name(top, x(i), EDGE - 33);
      name(top, x(i), y(n - 1) + 34);
      name(side, EDGE - 37, y(i));
      name(side, x(n - 1) + 37, y(i));
    }
    this.layers = {};
    for (const layer of ['shadows', 'stones', 'ghosts', 'labels', 'marks']) this.layers[layer] = make('g', { class: layer });
    this.svg.append(definitions, ground, grid, names, ...Object.values(this.layers));
    this.stones.clear();
    this.element.style.setProperty('--shape', (width / height).toFixed(4));
    this.element.replaceChildren(this.svg);
  }

  /** The point that is drawn in that row and column. */
  unplace(row, col) {
    const last = this.size - 1;
    for (let i = 0; i < this.quarter; i++) [row, col] = [last - col, row];
    return [row, col];
  }

  stone(at, color, extra = '') {
    const [cx, cy] = this.place(at);
    const g = make('g', { class: `stone ${extra}`, 'data-at': at.join(','), 'data-color': color, transform: `translate(${cx} ${cy})` });
    const body = make('g', { class: 'body' });
    body.append(make('circle', { r: RADIUS, fill: color === 'B' ? 'url(#black)' : 'url(#white)' }));
    if (color === 'W') {
      // growth lines of the shell, turned differently for each point
      const turn = (at[0] * 71 + at[1] * 137) % 360;
      const arcs = [-9, -3, 3, 9].map((d) => `M${-16 + Math.abs(d) * 0.4} ${d}Q0 ${d - 5} ${16 - Math.abs(d) * 0.4} ${d}`).join('');
      body.append(make('path', { class: 'shell', d: arcs, transform: `rotate(${turn})` }));
    }
    g.append(body);
    return g;
  }

  drawStones(still) {
    const board = this.state.board ?? [];
    const ghosts = this.marks ? new Set(this.restores().filter((r) => r.be !== '.').map((r) => r.at.join(','))) : new Set();
    for (let row = 0; row < this.size; row++) {
      for (let col = 0; col < this.size; col++) {
        const key = `${row},${col}`;
        const wanted = board[row]?.[col];
        const color = wanted === 'B' || wanted === 'W' ? wanted : null;
        let drawn = this.stones.get(key);
        if (drawn && drawn.color !== color) {
          drawn.stone.remove();
          drawn.shadow.remove();
          this.stones.delete(key);
          drawn = null;
        }
        if (color && !drawn) {
          const [cx, cy] = this.place([row, col]);
          const stone = this.stone([row, col], color, still ? '' : 'new');
          const shadow = make('circle', { cx: cx + 2.6, cy: cy + 4.2, r: RADIUS * 1.13, fill: 'url(#shade)' });
          this.layers.stones.append(stone);
          this.layers.shadows.append(shadow);
          drawn = { color, stone, shadow };
          this.stones.set(key, drawn);
        }
        if (drawn) {
          // what stands in the record but not on the table is drawn faintly: it has to be put back
          drawn.stone.classList.toggle('missing', ghosts.has(key));
          drawn.shadow.classList.toggle('missing', ghosts.has(key));
        }
      }
    }
  }

  /** All steps that make the board right, of all open infractions; the later ones win. */
  restores() {
    const steps = new Map();
    for (const event of this.state.open_infractions ?? []) {
      for (const step of event.restore ?? []) steps.set(step.at.join(','), { ...step, event });
    }
    return [...steps.values()];
  }

  drawMarks() {
    const { labels, marks, ghosts } = this.layers;
    labels.replaceChildren();
    marks.replaceChildren();
    ghosts.replaceChildren();
    const moves = this.state.moves ?? [];
    const standing = (at) => this.stones.get(at.join(','));
    if (this.numbers) {
      // of several moves on a point the last one's number is that of the stone that lies there
      const number = new Map();
      for (const m of moves) if (m.point) number.set(m.point.join(','), m.n);
      for (const [key, n] of number) {
        const stone = this.stones.get(key);
        if (!stone) continue;
        const [x, y] = this.place(key.split(',').map(Number));
        labels.append(make('text', { x, y, class: `number ${stone.color} ${n > 99 ? 'long' : ''}` }, String(n)));
      }
    }
    const last = this.state.last_move;
    if (last?.point && standing(last.point)) {
      const [cx, cy] = this.place(last.point);
      const shape = this.numbers ? { r: RADIUS - 2 } : { r: RADIUS * 0.46 };
      marks.append(make('circle', { cx, cy, ...shape, class: `last ${last.color}` }));
    }
    if (!this.marks) return;
    for (const event of this.state.open_infractions ?? []) this.drawArrows(event);
    for (const { at, be, event } of this.restores()) {
      const [cx, cy] = this.place(at);
      const text = (s, cls) => marks.append(make('text', { x: cx, y: cy, class: cls }, s));
      if (be === '.') {
        // A stone lies on the table that has no business there.
        const lying = standing(at)?.color ?? lyingColor(event, at);
        if (lying && !standing(at)) ghosts.append(this.stone(at, lying, 'wrong'));
        marks.append(make('circle', { cx, cy, r: RADIUS + 3, class: 'must-go' }));
        text('×', `glyph ${lying ?? ''}`);
      } else {
        if (standing(at)?.color !== be) ghosts.append(this.stone(at, be, 'missing'));
        marks.append(make('circle', { cx, cy, r: RADIUS + 3, class: 'must-come' }));
        text('+', `glyph come ${be}`);
      }
    }
    for (const event of [...(this.state.open_infractions ?? []), ...(this.state.notices ?? [])]) {
      if (event.restore?.length) continue;
      for (const p of event.points?.length ? event.points : event.point ? [event.point] : []) {
        const [cx, cy] = this.place(p);
        marks.append(make('circle', { cx, cy, r: RADIUS + 3, class: 'look-here' }));
      }
    }
  }

  /** From where a stone was to where it is. */
  drawArrows(event) {
    if (event.kind !== 'displaced_stone' && event.kind !== 'takeback') return;
    for (const [from, to] of displacements(event)) {
      const [x1, y1] = this.place(from);
      const [x2, y2] = this.place(to);
      const length = Math.hypot(x2 - x1, y2 - y1);
      if (length < 1) continue;
      // from rim to rim, so that neither stone is covered
      const cut = Math.min(RADIUS + 5, length * 0.3);
      const [ux, uy] = [((x2 - x1) / length) * cut, ((y2 - y1) / length) * cut];
      this.layers.marks.append(
        make('line', { x1: x1 + ux, y1: y1 + uy, x2: x2 - ux, y2: y2 - uy, class: 'arrow', 'marker-end': 'url(#head)' }),
      );
    }
  }
}

/** Pairs of where a stone was and where it is now, in the order of the event's points. */
function displacements(event) {
  const points = event.points ?? [];
  const restore = new Map((event.restore ?? []).map((r) => [r.at.join(','), r.be]));
  const from = points.filter((p) => (restore.get(p.join(',')) ?? '.') !== '.');
  const to = points.filter((p) => restore.get(p.join(',')) === '.');
  if (from.length && to.length) return from.slice(0, to.length).map((f, i) => [f, to[i]]);
  const half = points.length / 2;
  return Number.isInteger(half) ? points.slice(0, half).map((f, i) => [f, points[half + i]]) : [];
}

/** The colour of the stone that lies at a point where none should. */
function lyingColor(event, at) {
  const pair = displacements(event).find(([, to]) => to.join(',') === at.join(','));
  const was = pair && (event.restore ?? []).find((r) => r.at.join(',') === pair[0].join(','));
  if (was && was.be !== '.') return was.be;
  if (!event.color) return null;
  // the mover forgot to lift the other side's stones; all else that has to go is of the mover's own colour
  return event.kind === 'missed_capture' ? (event.color === 'B' ? 'W' : 'B') : event.color;
}
