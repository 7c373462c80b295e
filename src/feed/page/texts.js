// All words of the page, in both languages.

export const TEXTS = {
  en: {
    skip: 'To the events',
    live: 'live', reconnecting: 'reconnecting', connecting: 'connecting', dead: 'goband is not answering',
    sgf: 'SGF', sound_on: 'Sound on', sound_off: 'Sound off',
    theme_auto: 'Auto', theme_light: 'Light', theme_dark: 'Dark', theme: 'Colours',
    in_order: 'In order', in_order_more: 'No infraction is open.',
    waiting: 'Waiting for the board', waiting_more: 'goband has not yet found a board in the picture.',
    starting: 'Connecting', starting_more: 'Asking goband for the state of the game.',
    not_answering: 'goband is not answering', not_answering_more: 'What you see is how it was at {time}. Infractions are not noticed here until the connection is back.',
    look: 'Needs attention', more: '{n} more open',
    last_incident: 'Last incident: {what}', settled: 'settled', noted: 'noted',
    article: 'Article', proposed: 'Proposed', restore: 'Make the board right', sure: '{n} % sure',
    remove: 'take {point} off', put: 'put {color} on {point}',
    seen: 'Seen', seen_already: 'Seen', accept: 'Accept verdict', reject: 'No offence', other: 'Other verdict',
    note: 'Which verdict?', sent: 'Sent.', not_sent: 'Not taken: {why}',
    recorder: 'Recorder', sure_now: 'Really?',
    passes_B: 'Black passes', passes_W: 'White passes', resigns_B: 'Black resigns', resigns_W: 'White resigns', end_agreed: 'Both agree: game over',
    dead: 'Dead stones', dead_hint: 'as proposed, or B8 Q5 …, or –', counted: 'Count is confirmed', resigned: 'Resignation is confirmed',
    wrong_move: 'Move', right_point: 'was at', right_hint: '– never', correct: 'Correct the record',
    play_on: 'Play goes on', play_on_B: '… Black to move', play_on_W: '… White to move',
    stands_B: 'Board stands as it lies, Black to move', stands_W: 'Board stands as it lies, White to move',
    ruled_B: 'Ruled: Black wins', ruled_W: 'Ruled: White wins', ruled_none: 'Ruled: no winner',
    no_point: '{text} is no point of this board', no_number: 'which move?', recorded: 'Recorded.',
    clock: 'Clock', clock_stop: 'Stop', clock_resume: 'Go on', clock_set: 'Set times …', clock_whose: 'Whose time runs', cancel: 'Cancel',
    clock_ask_stop: 'Stop the clock?', clock_ask_resume: 'Let the clock go on?', clock_ask_set: 'Set the clock? Both sides then stand.',
    clock_yes_stop: 'Yes, stop it', clock_yes_resume: 'Yes, go on', clock_yes_set: 'Yes, set it',
    clock_set_how: 'Hours:minutes:seconds. In byo-yomi: what is left of the period, and how many periods are left.',
    clock_bad_time: 'A time is written as 0:25:30, at most 24 hours.', clock_periods: 'periods',
    clock_runs: '{side} runs', clock_stands: 'The clock stands', clock_stopped_by_us: 'The clock was stopped', clock_late: 'nothing heard from the clock for {s} s', clock_over: 'time over',
    numbers: 'Move numbers', turn_board: 'Turn the board', break_begins: 'Break begins', play_goes_on: 'Play goes on',
    turn: 'To move', move: 'Move', last: 'Last move', taken_by_black: 'Taken by Black', taken_by_white: 'Taken by White',
    charged_black: 'Against Black', charged_white: 'Against White', appeal: 'Appeal', lapsed: 'too late, it has lapsed',
    penalties: { '': 'no penalty, see note', caution: 'caution', warning: 'warning', yellow: 'yellow card', red: 'red card', loss: 'loss' },
    stones: '{n} stones',
    B: 'Black', W: 'White', pass: 'pass', nobody: '–', comma: ', ',
    camera: 'Camera', picture_of: 'Picture of the camera with what goband sees', old: 'picture is {s} s old',
    health: 'Health', well: 'all well', unwell: 'look here',
    events: 'Events', only_referee: 'Referee only', no_events: 'Nothing has happened yet.', earlier: 'Show earlier events',
    close: 'Close', before: 'before', during: 'during', after: 'after', evidence: 'Evidence', no_pictures: 'no pictures yet',
    ended: 'The game has ended',
    board_label: 'Board {size} by {size}, move {n}. Last move: {last}.',
    parts: { source: 'Camera', board: 'Board', record: 'Record', signal: 'Signals', feed: 'Live page', table: 'Table', clock: 'Clock' },
    conditions: { well: 'well', degraded: 'degraded', lost: 'lost' },
    kinds: {
      position_adopted: 'Position adopted', move: 'Move', captures_cleared: 'Captures cleared', pass: 'Pass',
      corrected: 'Corrected', unexplained: 'Board not explained', break_begun: 'Break', play_resumed: 'Play goes on', double_move: 'Double move', takeback: 'Takeback',
      dropped_stone: 'Dropped stone', displaced_stone: 'Displaced stone', stone_off_point: 'Stone off its point',
      missed_capture: 'Missed capture', wrong_removal: 'Wrong removal', ko_violation: 'Ko violation',
      superko: 'Whole-board repetition', suicide: 'Forbidden point', wrong_first_colour: 'Wrong first colour',
      scattered: 'Board scattered', seat_order: 'Order of seats broken', section_overrun: 'Section overrun',
      press_before_move: 'Clock pressed before the move', press_before_captures_cleared: 'Clock pressed before captures were cleared',
      wrong_clock_pressed: 'Wrong clock pressed', time_overrun: 'Time overrun', repaired: 'Board right again',
      decision: 'Decision', clock_call: 'Call', clock_stopped: 'Clock stopped', clock_resumed: 'Clock runs again', clock_set: 'Clock set',
      board_found: 'Board found', board_lost: 'Board lost', camera_moved: 'Camera moved',
      board_moved: 'Board moved', light_changed: 'Light changed', obstructed: 'View obstructed',
      source_lost: 'No picture from the camera', source_back: 'Picture is back', end_agreed_signal: 'End of game signalled',
      resign_signal: 'Resignation signalled', two_passes: 'Two passes', board_cleared: 'Board cleared', result: 'Result',
      sink_degraded: 'A part is in trouble', sink_restored: 'Part works again',
    },
  },
  zh: {
    skip: '跳到事件',
    live: '直播中', reconnecting: '正在重连', connecting: '正在连接', dead: 'goband 无响应',
    sgf: '棋谱 SGF', sound_on: '声音开', sound_off: '声音关',
    theme_auto: '自动', theme_light: '浅色', theme_dark: '深色', theme: '配色',
    in_order: '正常', in_order_more: '没有待处理的犯规。',
    waiting: '等待棋盘', waiting_more: 'goband 尚未在画面中找到棋盘。',
    starting: '正在连接', starting_more: '正在向 goband 查询局面。',
    not_answering: 'goband 无响应', not_answering_more: '画面停留在 {time}。恢复连接前，此处不会发现犯规。',
    look: '请注意', more: '另有 {n} 项待处理',
    last_incident: '最近事件：{what}', settled: '已处理', noted: '已记录',
    article: '条款', proposed: '建议判罚', restore: '恢复棋盘', sure: '把握 {n} %',
    remove: '取走 {point}', put: '{point} 放回{color}',
    seen: '已阅', seen_already: '已阅', accept: '采纳判罚', reject: '不成立', other: '另判',
    note: '如何判罚？', sent: '已提交。', not_sent: '未被接受：{why}',
    recorder: '记录员', sure_now: '确定？',
    passes_B: '黑虚着', passes_W: '白虚着', resigns_B: '黑认输', resigns_W: '白认输', end_agreed: '双方同意终局',
    dead: '死子', dead_hint: '同建议，或 B8 Q5 …，或 –', counted: '确认计算结果', resigned: '确认认输',
    wrong_move: '第几手', right_point: '应为', right_hint: '– 没有此手', correct: '更正记录',
    play_on: '继续对局', play_on_B: '……黑先', play_on_W: '……白先',
    stands_B: '盘面有效，轮黑走', stands_W: '盘面有效，轮白走',
    ruled_B: '裁定黑胜', ruled_W: '裁定白胜', ruled_none: '裁定无胜方',
    no_point: '{text} 不是本棋盘上的点', no_number: '第几手？', recorded: '已记录。',
    clock: '棋钟', clock_stop: '停钟', clock_resume: '恢复走时', clock_set: '设定时间…', clock_whose: '由哪方走时', cancel: '取消',
    clock_ask_stop: '确定停钟？', clock_ask_resume: '确定恢复走时？', clock_ask_set: '确定重设棋钟？设定后双方均停。',
    clock_yes_stop: '停钟', clock_yes_resume: '恢复', clock_yes_set: '设定',
    clock_set_how: '时:分:秒。读秒时填写本次剩余时间和剩余次数。',
    clock_bad_time: '时间写作 0:25:30，不得超过24小时。', clock_periods: '次',
    clock_runs: '{side}方走时', clock_stands: '棋钟停走', clock_stopped_by_us: '已停钟', clock_late: '已有 {s} 秒未收到棋钟消息', clock_over: '超时',
    numbers: '手数', turn_board: '转动棋盘', break_begins: '休息开始', play_goes_on: '续弈',
    turn: '轮到', move: '手数', last: '最后一手', taken_by_black: '黑提子', taken_by_white: '白提子',
    charged_black: '黑方处罚', charged_white: '白方处罚', appeal: '提出', lapsed: '已逾时失效',
    penalties: { '': '不处罚，见说明', caution: '劝告', warning: '警告', yellow: '黄牌', red: '红牌', loss: '判负' },
    stones: '罚{n}子',
    B: '黑', W: '白', pass: '停一手', nobody: '–', comma: '，',
    camera: '摄像机', picture_of: '摄像机画面及 goband 所见', old: '画面已过 {s} 秒',
    health: '运行状态', well: '全部正常', unwell: '请查看',
    events: '事件', only_referee: '仅裁判事项', no_events: '尚无事件。', earlier: '显示更早的事件',
    close: '关闭', before: '之前', during: '当时', after: '之后', evidence: '证据', no_pictures: '暂无图片',
    ended: '对局结束',
    board_label: '{size} 路棋盘，第 {n} 手。最后一手：{last}。',
    parts: { source: '摄像机', board: '棋盘', record: '记录', signal: '信号', feed: '直播页', table: '对局台', clock: '棋钟' },
    conditions: { well: '正常', degraded: '异常', lost: '中断' },
    kinds: {
      position_adopted: '采用现有局面', move: '着手', captures_cleared: '提子已取走', pass: '停一手',
      corrected: '更正', unexplained: '局面无法解释', break_begun: '休息', play_resumed: '续弈', double_move: '连下两着', takeback: '悔棋',
      dropped_stone: '掉子', displaced_stone: '棋子移位', stone_off_point: '棋子偏离交叉点',
      missed_capture: '漏提子', wrong_removal: '误提子', ko_violation: '违例提劫',
      superko: '全局同形再现', suicide: '禁着点', wrong_first_colour: '先手颜色有误',
      scattered: '棋盘散乱', seat_order: '行棋次序有误', section_overrun: '超出规定手数',
      press_before_move: '未落子先按钟', press_before_captures_cleared: '未提净子先按钟',
      wrong_clock_pressed: '按错棋钟', time_overrun: '超时', repaired: '棋盘已恢复',
      decision: '裁决', clock_call: '读秒', clock_stopped: '停钟', clock_resumed: '恢复走时', clock_set: '重设棋钟',
      board_found: '找到棋盘', board_lost: '找不到棋盘', camera_moved: '摄像机移动',
      board_moved: '棋盘移动', light_changed: '光线变化', obstructed: '视线被挡',
      source_lost: '摄像机无画面', source_back: '画面恢复', end_agreed_signal: '示意终局',
      resign_signal: '示意认输', two_passes: '双方停一手', board_cleared: '棋盘已清空', result: '结果',
      sink_degraded: '部件异常', sink_restored: '部件恢复',
    },
  },
};

/** Offences that are told to the referee in red; `stone_off_point` is only a notice. */
export const INFRACTIONS = new Set([
  'double_move', 'takeback', 'dropped_stone', 'displaced_stone', 'stone_off_point', 'missed_capture', 'wrong_removal',
  'ko_violation', 'superko', 'suicide', 'wrong_first_colour', 'scattered', 'seat_order', 'section_overrun',
  'press_before_move', 'press_before_captures_cleared', 'wrong_clock_pressed', 'time_overrun',
]);
export const NOTICES = new Set(['stone_off_point']);

/** What belongs in the list when only the referee's matters are wanted. */
export const REFEREE = new Set([...INFRACTIONS, 'repaired', 'decision', 'unexplained', 'corrected', 'source_lost',
  'source_back', 'board_lost', 'break_begun', 'play_resumed', 'clock_stopped', 'clock_resumed', 'clock_set', 'result', 'sink_degraded', 'sink_restored']);

/** Spoken name of a point as Go programs write it: no I, rows from the bottom. */
export function pointName([row, col], size) {
  return String.fromCharCode(65 + Math.round(col) + (Math.round(col) >= 8 ? 1 : 0)) + (size - Math.round(row));
}

/** `{name}` in a text replaced. */
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}

/** What a clock shows for a side, as 0:25:11. */
export function faceTime(ms) {
  const s = Math.ceil(ms / 1000);
  const two = (n) => String(n).padStart(2, '0');
  return `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

/** The milliseconds of `1:25:11`, `25:11` or `11`; null where it is none. */
export function readTime(text) {
  if (!/^\d{1,5}(:\d{1,2}){0,2}$/.test(text.trim())) return null;
  const seconds = text.trim().split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return seconds <= 24 * 3600 ? seconds * 1000 : null;
}

/** Milliseconds of the table as 1:02:03. */
export function clockTime(ms) {
  const s = Math.floor(ms / 1000);
  const two = (n) => String(n).padStart(2, '0');
  const hours = Math.floor(s / 3600);
  const rest = `${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
  return hours ? `${hours}:${rest}` : rest;
}
