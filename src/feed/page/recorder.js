// What the recorder says about the game: passes, the end, the result, a record that is wrong.

import { fill } from './texts.js';

/** A question stays open so long. */
const SURE_MS = 4000;
const COLUMNS = 'ABCDEFGHJKLMNOPQRSTUVWXYZ';

/** `Q16` as [row, col] of a board of that size; null: no point of it. */
export function readPoint(text, size) {
  const parts = /^([A-Za-z])(\d{1,2})$/.exec(text.trim());
  if (!parts) return null;
  const [row, col] = [size - Number(parts[2]), COLUMNS.indexOf(parts[1].toUpperCase())];
  return row >= 0 && row < size && col >= 0 && col < size ? [row, col] : null;
}

const EMPTY = /^[-–—]$/;

export class Recorder {
  /**
   * `root` holds the buttons; `page()` gives `{ t, language, size }` as they are now; `post(path, body)` sends.
   * Every button asks once more before it says anything: its words become a question for some seconds.
   */
  constructor(root, page, post) {
    this.root = root;
    this.page = page;
    this.post = post;
    this.asked = null;
    root.addEventListener('click', (e) => e.target.dataset?.say && this.pressed(e.target));
  }

  show(allowed) {
    this.root.hidden = !allowed;
  }

  words() {
    this.calm();
    const { t } = this.page();
    for (const e of this.root.querySelectorAll('[data-hint]')) e.placeholder = t[e.dataset.hint];
  }

  calm() {
    if (!this.asked) return;
    clearTimeout(this.asked.timer);
    this.asked.button.textContent = this.page().t[this.asked.button.dataset.t];
    this.asked.button.classList.remove('asked');
    this.asked = null;
  }

  answer(text) {
    this.root.querySelector('output').textContent = text;
  }

  pressed(button) {
    const { t } = this.page();
    let word;
    try {
      word = this.word(button.dataset);
    } catch (wrong) {
      this.calm();
      this.answer(wrong.message);
      return;
    }
    if (this.asked?.button !== button) {
      this.calm();
      this.answer('');
      button.textContent = t.sure_now;
      button.classList.add('asked');
      this.asked = { button, timer: setTimeout(() => this.calm(), SURE_MS) };
      return;
    }
    this.calm();
    this.send(word);
  }

  /** The body of the request. Throws what is wrong with the fields, in the reader's language. */
  word({ say, side }) {
    const { t, size } = this.page();
    const field = (id) => this.root.querySelector(id).value.trim();
    const at = (text) => {
      const point = readPoint(text, size);
      if (!point) throw new Error(fill(t.no_point, { text: text || '–' }));
      return point;
    };
    switch (say) {
      case 'pass':
      case 'resign':
        return { say, color: side };
      case 'play_on':
      case 'stands':
        return { say, turn: side || null };
      case 'ruled':
        return { say, winner: side || null };
      case 'counted': {
        const text = field('#dead');
        if (!text) return { say, dead: null };
        return { say, dead: EMPTY.test(text) ? [] : text.split(/[\s,，、]+/).filter(Boolean).map(at) };
      }
      case 'correct': {
        const move = Number(field('#wrong-move'));
        if (!Number.isInteger(move) || move < 1) throw new Error(t.no_number);
        const text = field('#right-point');
        return { say, move, point: EMPTY.test(text) ? null : at(text) };
      }
      default:
        return { say };
    }
  }

  async send(word) {
    const { t, language } = this.page();
    try {
      const answer = await this.post('/api/word', word);
      const told = await answer.json();
      const why = told.text?.[language] || told.error;
      this.answer(answer.ok ? t.recorded : fill(t.not_sent, { why }));
      if (answer.ok) for (const input of this.root.querySelectorAll('input')) input.value = '';
    } catch {
      this.answer(fill(t.not_sent, { why: t.dead }));
    }
  }
}
