//! The vocabulary as data: one row a term, the most specific first.

use std::sync::LazyLock;

use super::Term;
use super::pattern::Pattern;
use super::scene::{Frame, Scene};
use super::{eyes, fight, opening, reading, shape};

/// When a move has a name.
pub(super) enum When {
    /// What the whole scene shows.
    Scene(fn(&Scene) -> bool),
    /// One of these shapes, and in the same direction what the function asks.
    Shape(&'static [&'static str], fn(&Scene, &Frame) -> bool),
    /// One of these.
    Either(&'static [When]),
}

/// A row: the term, how it is defined, and when a move has this name.
pub(super) struct Row {
    pub term: Term,
    pub definition_en: &'static str,
    pub definition_zh: &'static str,
    /// The entry of document 004 that defines it; empty where the term is common usage that 004 does not define.
    pub entry: &'static str,
    pub when: When,
}

const fn row(
    id: &'static str,
    zh: &'static str,
    en: &'static str,
    entry: &'static str,
    definitions: (&'static str, &'static str),
    when: When,
) -> Row {
    let (definition_en, definition_zh) = definitions;
    Row { term: Term { id, en, zh }, definition_en, definition_zh, entry, when }
}

use When::{Scene as S, Shape as P};

/// Rows of one more look at the same thing under another name are neighbours; the first row that holds names the move.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    // what is decided by liberties
    row("ko_capture", "提劫", "takes the ko", "提子",
        ("takes one stone with one that could itself be retaken at once", "提一子，而提子之子本身亦可被提回"),
        S(fight::takes_ko)),
    row("capture", "提", "capture", "提子",
        ("takes stones that have no liberty left", "提取对方无气之子"),
        S(|s| s.captured > 0)),
    row("snapback", "倒扑", "snapback", "",
        ("a stone thrown in; whoever takes it is taken, two stones or more", "送吃一子，对方提后反被提回两子以上"),
        S(fight::snapback)),
    row("throw_in", "扑", "throw-in", "",
        ("a stone played where the opponent can take it: one liberty, the opponent on two sides or more", "将子送入对方虎口，可被提取"),
        S(fight::throw_in)),
    row("ko_connection", "粘劫", "connects the ko", "",
        ("fills the point at which the opponent could have taken the ko", "粘住可被提劫之点"),
        S(fight::fills_ko)),
    row("double_atari", "双打吃", "double atari", "",
        ("two chains of the opponent's in atari at once", "一着同时打吃对方两块棋"),
        S(fight::double_atari)),
    row("ladder", "征", "ladder", "",
        ("atari on a chain that runs and is caught step by step (read to the end, ladder breakers included)", "连续打吃，逃之不脱"),
        S(reading::ladder)),
    row("connect_and_die", "接不归", "connect-and-die", "",
        ("atari; when the chain connects, what it connects to is in atari too", "打吃后对方若接仍被全部提取"),
        S(reading::connect_and_die)),
    row("atari", "打吃", "atari", "",
        ("a chain of the opponent's has one liberty left", "使对方棋子只剩一气"),
        S(fight::atari)),
    row("net", "枷", "net", "",
        ("from a distance: a chain with two liberties that could run cannot any more (read)", "不紧贴而使对方之子无法逃脱"),
        S(reading::net)),

    // the empty corner and the centre
    row("centre_point", "天元", "tengen", "",
        ("the centre of the board, nothing around it", "棋盘正中之点"),
        S(opening::centre)),
    row("star_point", "星", "star point", "",
        ("4-4 in an empty corner (13 × 13 or larger)", "空角四·四之点"),
        S(|s| opening::empty_corner(s, (4, 4), 13))),
    row("three_four_point", "小目", "3-4 point", "",
        ("3-4 in an empty corner", "空角三·四之点"),
        S(|s| opening::empty_corner(s, (3, 4), 9))),
    row("three_three_point", "三三", "3-3 point", "",
        ("3-3 in an empty corner", "空角三·三之点"),
        S(|s| opening::empty_corner(s, (3, 3), 9))),
    row("three_five_point", "目外", "3-5 point", "",
        ("3-5 in an empty corner (13 × 13 or larger)", "空角三·五之点"),
        S(|s| opening::empty_corner(s, (3, 5), 13))),
    row("four_five_point", "高目", "4-5 point", "",
        ("4-5 in an empty corner (13 × 13 or larger)", "空角四·五之点"),
        S(|s| opening::empty_corner(s, (4, 5), 13))),
    row("five_five_point", "五之五", "5-5 point", "",
        ("5-5 in an empty corner (13 × 13 or larger)", "空角五·五之点"),
        S(|s| opening::empty_corner(s, (5, 5), 13))),
    row("small_knight_enclosure", "无忧角", "small-knight enclosure", "",
        ("3-4 and 5-3: the corner is one's own", "小目小飞守角"),
        S(|s| opening::enclosure(s, &[((3, 4), (5, 3))]))),
    row("one_space_enclosure", "单关角", "one-space enclosure", "",
        ("3-4 and 5-4", "小目单关守角"),
        S(|s| opening::enclosure(s, &[((3, 4), (5, 4))]))),
    row("large_knight_enclosure", "大飞守角", "large-knight enclosure", "",
        ("3-4 and 6-3, or 4-4 and 7-3", "小目或星大飞守角"),
        S(|s| opening::enclosure(s, &[((3, 4), (6, 3)), ((4, 4), (7, 3))]))),
    row("two_space_enclosure", "二间守角", "two-space enclosure", "",
        ("3-4 and 6-4", "小目二间高守角"),
        S(|s| opening::enclosure(s, &[((3, 4), (6, 4))]))),
    row("star_knight_enclosure", "小飞守角", "knight enclosure", "",
        ("4-4 and 6-3", "星小飞守角"),
        S(|s| opening::enclosure(s, &[((4, 4), (6, 3))]))),
    row("star_one_space_enclosure", "单关守角", "one-space enclosure", "",
        ("4-4 and 6-4", "星单关守角"),
        S(|s| opening::enclosure(s, &[((4, 4), (6, 4))]))),
    row("low_approach", "低挂", "low approach", "挂",
        ("on the third line, one or two points from the only stone of the corner, the opponent's", "三线上的挂角"),
        S(|s| opening::approach(s, &[
            ((4, 4), (6, 3)), ((4, 4), (7, 3)), ((3, 4), (5, 3)), ((3, 4), (6, 3)), ((3, 5), (4, 3)), ((4, 5), (4, 3)),
        ]))),
    row("high_approach", "高挂", "high approach", "挂",
        ("the same on the fourth line", "四线上的挂角"),
        S(|s| opening::approach(s, &[
            ((4, 4), (6, 4)), ((4, 4), (7, 4)), ((3, 4), (5, 4)), ((3, 4), (6, 4)), ((3, 5), (4, 4)),
        ]))),
    row("double_approach", "双飞燕", "double approach", "",
        ("the star stone, approached from one side by 6-3, now from the other too", "星之两侧皆小飞挂"),
        S(opening::double_approach)),
    row("three_three_invasion", "点三三", "3-3 invasion", "点",
        ("3-3 below the opponent's star stone, no own stone in the corner", "在对方星位角内点入三三"),
        S(opening::three_three_invasion)),

    // the sides
    row("counter_pincer", "反夹", "counter-pincer", "夹",
        ("pincers the stone that had pincered an own one", "被夹的一方从另一侧再夹对方一手"),
        S(opening::counter_pincer)),
    row("one_space_low_pincer", "一间低夹", "one-space low pincer", "夹",
        ("third line, one point from the opponent's single stone with an own stone on its other side", "三线，隔一路，两子夹一子"),
        S(|s| opening::pincer(s, 1, 3))),
    row("one_space_high_pincer", "一间高夹", "one-space high pincer", "夹",
        ("fourth line, one point between", "四线，隔一路"),
        S(|s| opening::pincer(s, 1, 4))),
    row("two_space_low_pincer", "二间低夹", "two-space low pincer", "夹",
        ("third line, two points between", "三线，隔二路"),
        S(|s| opening::pincer(s, 2, 3))),
    row("two_space_high_pincer", "二间高夹", "two-space high pincer", "夹",
        ("fourth line, two points between", "四线，隔二路"),
        S(|s| opening::pincer(s, 2, 4))),
    row("three_space_low_pincer", "三间低夹", "three-space low pincer", "夹",
        ("third line, three points between", "三线，隔三路"),
        S(|s| opening::pincer(s, 3, 3))),
    row("three_space_high_pincer", "三间高夹", "three-space high pincer", "夹",
        ("fourth line, three points between", "四线，隔三路"),
        S(|s| opening::pincer(s, 3, 4))),
    row("checking_extension", "逼", "checking extension", "逼",
        ("along the side to one or two points from the opponent's stones, own stones at the back", "沿边逼近对方，夺其根据地"),
        S(opening::checking_extension)),
    row("one_space_extension", "拆一", "one-space extension", "拆",
        ("third or fourth line, one empty point from an own stone on the same line", "三线或四线上间隔一路开拆"),
        S(|s| opening::extension(s, 1))),
    row("two_space_extension", "拆二", "two-space extension", "拆",
        ("two points between", "间隔二路"),
        S(|s| opening::extension(s, 2))),
    row("three_space_extension", "拆三", "three-space extension", "拆",
        ("three points between", "间隔三路"),
        S(|s| opening::extension(s, 3))),
    row("cap", "镇", "cap", "镇",
        ("where the opponent's stone on the side, or one that has jumped, would jump to towards the centre", "行在对方向中腹关起的位置"),
        When::Either(&[
            P(&["* . X"], opening::cap),
            P(&["* . X . X"], opening::cap_above),
        ])),
    row("shoulder_hit", "肩冲", "shoulder hit", "",
        ("diagonally above a stone on the third or fourth line, from outside, no own stone near", "在对方三、四线之子的肩部"),
        P(&["?* X?"], opening::shoulder_hit)),

    // eyes
    row("placement", "点", "placement", "点",
        ("inside the opponent's eye space of three to six points", "点入对方眼位"),
        S(eyes::placement)),
    row("eye_break", "破眼", "breaks an eye", "点",
        ("takes the corner that makes an eye of two chains false", "占据要点，使对方之眼成假眼"),
        S(eyes::breaks_eye)),

    // connection
    row("bridge", "渡", "bridge under", "",
        ("joins own stones on both sides along the first or second line under the opponent's", "在一、二线上从对方棋子之下连络"),
        S(fight::bridges_under)),
    row("connection", "粘", "connect", "",
        ("joins own chains at a point where the opponent could have cut", "粘（接）住断点"),
        S(fight::connects)),
    row("bamboo_joint", "双关", "bamboo joint", "",
        ("two pairs side by side with two empty points between", "两关并列，不可分断"),
        P(&["O.* O.O"], fight::bamboo_joint)),
    row("double_tiger_mouth", "双虎", "double tiger mouth", "虎",
        ("two mouths at once, holding a diagonal chain of three stones", "三子连续小尖，一着成两虎口"),
        P(&["OX? .OX *.O"], |s, f| s.own.is_empty() && fight::tiger(s, f))),
    row("tiger_mouth", "虎", "tiger mouth", "虎",
        ("with two diagonal stones: an empty point with own stones on three sides, where the opponent could have cut", "尖形二子再下一着成品字形"),
        P(&["?OX *.O ?.?"], fight::tiger)),

    // cutting
    row("cut", "断", "cut", "断",
        ("the second of the two points between diagonal stones of the opponent's", "直接切开对方棋子的连络"),
        P(&["XO *X"], fight::parts_above_and_right)),
    row("wedge", "挖", "wedge", "",
        ("between the opponent's one-space jump, empty above and below", "插入对方关形中间，上下皆空"),
        P(&["?.? X*X ?.?"], fight::parts_sides)),
    row("cross_under", "跨", "cross-under", "跨",
        ("into the opponent's small knight's move with own stones near, none beside", "有己方援助，插入对方小飞的棋形"),
        P(&["?.X X*?"], fight::crosses_knight)),
    row("push", "冲", "push", "冲",
        ("from an own stone straight into the middle of the opponent's one-space jump, or into a knight's move", "从己子向对方关形中间的空交叉点行棋"),
        When::Either(&[
            P(&["?.? X*X ?O?"], fight::parts_sides),
            P(&["?.X X*. ?O?"], fight::parts_knight),
        ])),
    row("squeeze", "挤", "wedge-in", "挤",
        ("from an own stone between two diagonal stones of the opponent's: leaves a cutting point", "从己子插入敌子之间，使之出现断点"),
        P(&["X. *X O?"], fight::parts_above_and_right)),

    // contact
    row("block", "挡", "block", "挡",
        ("in the way of the stone just played that pushes out, or comes in along the first or second line", "紧靠对方，阻其侵入己地或冲出包围"),
        When::Either(&[
            P(&["?*? OLO", "O*? ?L? ?X?"], |_, _| true),
            P(&["?O? L*.", "O?? L*?"], fight::guards_along_the_edge),
            P(&["?O? X*+ ?.?"], fight::comes_down_beside),
        ])),
    row("bump", "顶", "bump", "顶",
        ("from an own stone straight against the opponent's", "在对方棋子行棋方向的头上下子"),
        P(&["?X? .*. ?O?"], |_, _| true)),
    row("clamp", "夹", "clamp", "夹",
        ("the opponent's single stone between the move and an own stone, in contact", "两子紧夹对方一子"),
        P(&["O X *"], fight::clamps)),
    row("double_hane", "连扳", "double hane", "",
        ("hane after a hane that was answered by a hane", "扳后对方反扳，再扳"),
        P(&["O. L*"], fight::second_hane)),
    row("hane", "扳", "hane", "",
        ("diagonally from an own stone around the opponent's stone that touches both", "从己子斜出，紧靠对方棋子"),
        P(&["O. X*"], fight::bends_round)),
    row("kick", "尖顶", "diagonal bump", "顶",
        ("from a diagonal own stone straight against the opponent's", "以尖的步调顶对方"),
        P(&["?X? .*. O.?"], shape::kicks)),
    row("eye", "做眼", "makes an eye", "",
        ("completes an eye that cannot be made false, the opponent near", "做成真眼"),
        S(eyes::makes_eye)),
    row("turn", "拐", "turn", "",
        ("bends round a stone of the opponent's", "绕对方棋子转向行棋"),
        P(&["?s? O*- OX?"], |s, _| s.own.stones == 1)),
    row("draw_back", "退", "draw back", "",
        ("straight back from the opponent's hane", "被扳后向后退一步"),
        When::Either(&[
            P(&["?Xs? LO*- ??s?"], fight::draws_back),
            P(&["?Ls? XO*- ??s?"], fight::draws_back),
        ])),
    row("descend", "立", "descend", "立",
        ("from an own stone down to the first or second line, or in contact to the third", "紧靠己子向边线方向行棋"),
        P(&["?O? +*+ ?-?"], fight::descends)),
    row("crawl", "爬", "crawl", "爬",
        ("along the first or second line, the opponent above", "在对方压迫下沿一、二线长"),
        P(&["X+? O*- ?-?", "+X? O*- ?-?"], fight::crawls)),
    row("press", "压", "press", "",
        ("along the top of the opponent's stones, from an own stone", "在对方棋子之上压低对方"),
        P(&["?-? O*. XX?"], fight::presses)),
    row("extend", "长", "extend", "长",
        ("straight on from an own stone in contact with the opponent", "紧靠己子继续向前延伸"),
        P(&["?.? +*+ +O+"], fight::extends)),
    row("attach_under", "托", "attach underneath", "",
        ("below the opponent's stone, on the second or third line", "在对方棋子之下紧贴"),
        P(&["?X? -*- ?-?"], fight::attaches_under)),
    row("attach", "靠", "attach", "",
        ("against a stone of the opponent's, own stones near", "有己方配合，紧贴对方棋子"),
        S(fight::attaches_with_help)),
    row("contact", "碰", "contact play", "",
        ("against a stone of the opponent's, no own stone near", "单独紧贴对方棋子"),
        S(fight::attaches_alone)),

    // without contact
    row("peep", "刺", "peep", "点",
        ("at the head of the opponent's one-space jump: a cut is threatened", "窥视对方断点"),
        P(&["-*- X.X"], shape::peeps)),
    row("seal_in", "封", "seal in", "封",
        ("the opponent's group had the open board before it and no longer has", "封锁对方向中央的出路"),
        S(eyes::seals_in)),
    row("diagonal", "尖", "diagonal move", "尖",
        ("diagonally from an own stone, both points between empty", "在己子斜上或斜下一路"),
        P(&["O. .*"], shape::alone)),
    row("one_space_step", "关", "one-space jump", "关",
        ("one empty point from an own stone, into the open", "与己子隔一路，向宽阔地带或中腹"),
        P(&["O.*"], shape::jumps_out)),
    row("one_space_jump", "跳", "one-space jump", "跳",
        ("one empty point from an own stone, near the opponent or sideways", "与己子隔一路，用于接触交战"),
        P(&["O.*"], shape::jumps)),
    row("small_knight", "小飞", "small knight's move", "飞",
        ("a small knight's move from an own stone", "“日”字形的对角"),
        P(&["O.? ?.*"], shape::alone)),
    row("elephant", "象步飞", "elephant's move", "飞",
        ("two lines across and two up from an own stone, nothing around", "“田”字形的对角"),
        P(&["O.. ... ..*"], shape::free)),
    row("two_space_jump", "大跳", "two-space jump", "",
        ("two empty points from an own stone in a line", "与己子隔二路"),
        P(&["O..*"], shape::jumps_wide)),
    row("large_knight", "大飞", "large knight's move", "飞",
        ("a large knight's move from an own stone", "“目”字形的对角"),
        P(&["O..? ?..*"], shape::wide)),
    row("extra_large_knight", "超大飞", "extra-large knight's move", "飞",
        ("one point further than the large knight's move", "比大飞更向前一格"),
        P(&["O...? ?...*"], shape::far)),
    row("side_by_side", "并", "side by side", "并",
        ("beside a single own stone, no contact with the opponent", "在己子旁一路紧挨着下子"),
        P(&["* O"], fight::stands_beside)),
];

/// [`When`] with its shapes read.
enum Ready {
    Scene(fn(&Scene) -> bool),
    Shape(Vec<Pattern>, fn(&Scene, &Frame) -> bool),
    Either(Vec<Ready>),
}

impl Ready {
    fn of(when: &When) -> Ready {
        match when {
            When::Scene(f) => Ready::Scene(*f),
            When::Shape(texts, also) => Ready::Shape(texts.iter().map(|t| Pattern::read(t)).collect(), *also),
            When::Either(list) => Ready::Either(list.iter().map(Ready::of).collect()),
        }
    }

    fn holds(&self, scene: &Scene) -> bool {
        match self {
            Ready::Scene(f) => f(scene),
            Ready::Shape(shapes, also) => shapes.iter().any(|s| s.fits(scene, *also)),
            Ready::Either(list) => list.iter().any(|r| r.holds(scene)),
        }
    }
}

static READY: LazyLock<Vec<Ready>> = LazyLock::new(|| ROWS.iter().map(|row| Ready::of(&row.when)).collect());

/// The first row that holds.
pub(super) fn first(scene: &Scene) -> Option<&'static Row> {
    ROWS.iter().zip(&*READY).find_map(|(row, ready)| ready.holds(scene).then_some(row))
}
