//! Least squares for the lattice: small dense systems, no pixels.

use super::lattice::{Lattice, Lens, Match};

/// Inverse of a 3×3 matrix, row by row; `None` if it is singular.
pub(super) fn invert3(m: &[f64; 9]) -> Option<[f64; 9]> {
    let c = |a: usize, b: usize, d: usize, e: usize| m[a] * m[e] - m[b] * m[d];
    let adj = [
        c(4, 5, 7, 8),
        -c(1, 2, 7, 8),
        c(1, 2, 4, 5),
        -c(3, 5, 6, 8),
        c(0, 2, 6, 8),
        -c(0, 2, 3, 5),
        c(3, 4, 6, 7),
        -c(0, 1, 6, 7),
        c(0, 1, 3, 4),
    ];
    let det = m[0] * adj[0] + m[1] * adj[3] + m[2] * adj[6];
    (det.abs() > 1e-300 && det.is_finite()).then(|| adj.map(|v| v / det))
}

/// Solves the symmetric positive system `a x = b` in place (Gauss with pivots); `None` if it is singular.
fn solve<const N: usize>(a: &mut [[f64; N]; N], b: &mut [f64; N]) -> Option<[f64; N]> {
    for i in 0..N {
        let pivot = (i..N).max_by(|&p, &q| a[p][i].abs().total_cmp(&a[q][i].abs()))?;
        if a[pivot][i].abs() < 1e-14 {
            return None;
        }
        a.swap(i, pivot);
        b.swap(i, pivot);
        for r in i + 1..N {
            let f = a[r][i] / a[i][i];
            if f != 0.0 {
                let upper = a[i];
                for (v, u) in a[r].iter_mut().zip(upper).skip(i) {
                    *v -= f * u;
                }
                b[r] -= f * b[i];
            }
        }
    }
    let mut x = [0.0; N];
    for i in (0..N).rev() {
        let mut v = b[i];
        for k in i + 1..N {
            v -= a[i][k] * x[k];
        }
        x[i] = v / a[i][i];
        if !x[i].is_finite() {
            return None;
        }
    }
    Some(x)
}

/// Board coordinates `[row, col]` brought to about -1..1, so that systems are well conditioned.
fn centred(board: [f64; 2], size: u8) -> [f64; 2] {
    let m = f64::from(size - 1) / 2.0;
    [(board[1] - m) / m, (board[0] - m) / m]
}

/// A homography of centred board coordinates as one of `[col, row, 1]`.
fn uncentred(h: &[f64; 9], size: u8) -> [f64; 9] {
    let m = f64::from(size - 1) / 2.0;
    let mut out = [0.0; 9];
    for i in 0..3 {
        let (a, b, c) = (h[3 * i], h[3 * i + 1], h[3 * i + 2]);
        out[3 * i] = a / m;
        out[3 * i + 1] = b / m;
        out[3 * i + 2] = c - a - b;
    }
    out
}

fn recentred(h: &[f64; 9], size: u8) -> [f64; 9] {
    let m = f64::from(size - 1) / 2.0;
    let mut out = [0.0; 9];
    for i in 0..3 {
        let (a, b, c) = (h[3 * i], h[3 * i + 1], h[3 * i + 2]);
        out[3 * i] = a * m;
        out[3 * i + 1] = b * m;
        out[3 * i + 2] = c + (a + b) * m;
    }
    out
}

/// Linear homography from board `[col, row, 1]` to the ideal picture of `lens` (whose distortion is taken out first).
pub(super) fn homography(matches: &[Match], size: u8, lens: &Lens) -> Option<[f64; 9]> {
    let mut a = [[0.0; 8]; 8];
    let mut b = [0.0; 8];
    for m in matches {
        let [u, v] = centred(m.board, size);
        let [x, y] = Lattice::straightened(lens, m.image);
        let rows = [
            ([u, v, 1.0, 0.0, 0.0, 0.0, -u * x, -v * x], x), //
            ([0.0, 0.0, 0.0, u, v, 1.0, -u * y, -v * y], y),
        ];
        for (row, rhs) in rows {
            for i in 0..8 {
                for k in 0..8 {
                    a[i][k] += m.weight * row[i] * row[k];
                }
                b[i] += m.weight * row[i] * rhs;
            }
        }
    }
    let h = solve(&mut a, &mut b)?;
    Some(uncentred(&[h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], 1.0], size))
}

/// Gauss-Newton with Tukey weights over homography and, if asked, k1 and k2. Returns the plane, the lens and the weighted
/// root mean square residual in pixels of the points that were kept.
pub(super) fn refine(
    matches: &[Match],
    size: u8,
    plane: [f64; 9],
    mut lens: Lens,
    with_lens: bool,
) -> Option<([f64; 9], Lens, f64)> {
    let mut h = recentred(&plane, size);
    let norm = h[8];
    if norm.abs() < 1e-12 {
        return None;
    }
    h = h.map(|v| v / norm);
    let s = lens.scale_px;
    let with_lens = with_lens && matches.len() >= 30;
    let mut residual = 0.0;
    for round in 0..14 {
        let mut errors = Vec::with_capacity(matches.len());
        let mut jacobians = Vec::with_capacity(matches.len());
        for m in matches {
            let [u, v] = centred(m.board, size);
            let w = h[6] * u + h[7] * v + h[8];
            let w = if w.abs() < 1e-6 { 1e-6 } else { w };
            let (x, y) = ((h[0] * u + h[1] * v + h[2]) / w, (h[3] * u + h[4] * v + h[5]) / w);
            let r2 = x * x + y * y;
            let g = 1.0 + lens.k1 * r2 + lens.k2 * r2 * r2;
            let dg = 2.0 * (lens.k1 + 2.0 * lens.k2 * r2);
            let e = [(m.image[0] - lens.center[0]) / s - x * g, (m.image[1] - lens.center[1]) / s - y * g];
            // d(bent)/d(ideal)
            let (xx, xy, yy) = (g + dg * x * x, dg * x * y, g + dg * y * y);
            let px = [u / w, v / w, 1.0 / w, 0.0, 0.0, 0.0, -u * x / w, -v * x / w];
            let py = [0.0, 0.0, 0.0, u / w, v / w, 1.0 / w, -u * y / w, -v * y / w];
            let mut jx = [0.0; 10];
            let mut jy = [0.0; 10];
            for i in 0..8 {
                jx[i] = xx * px[i] + xy * py[i];
                jy[i] = xy * px[i] + yy * py[i];
            }
            (jx[8], jy[8]) = (x * r2, y * r2);
            (jx[9], jy[9]) = (x * r2 * r2, y * r2 * r2);
            errors.push(e);
            jacobians.push((jx, jy));
        }
        let mut sizes: Vec<f64> = errors.iter().map(|e| e[0].hypot(e[1]) * s).collect();
        sizes.sort_by(f64::total_cmp);
        // of a two-dimensional normal error the median length is 1.18 sigma; half a pixel is as good as peaks get
        let sigma = (sizes[sizes.len() / 2] / 1.18).max(0.3);
        let cut = (if round < 3 { 6.0 } else { 4.0 }) * sigma;
        let (mut a, mut b) = ([[0.0; 10]; 10], [0.0; 10]);
        let (mut sum, mut weight) = (0.0, 0.0);
        for ((e, (jx, jy)), m) in errors.iter().zip(&jacobians).zip(matches) {
            let d = e[0].hypot(e[1]) * s;
            if d >= cut {
                continue;
            }
            let t = 1.0 - (d / cut) * (d / cut);
            let w = m.weight * t * t;
            sum += w * d * d;
            weight += w;
            for i in 0..10 {
                for k in 0..10 {
                    a[i][k] += w * (jx[i] * jx[k] + jy[i] * jy[k]);
                }
                b[i] += w * (jx[i] * e[0] + jy[i] * e[1]);
            }
        }
        if weight <= 0.0 {
            return None;
        }
        residual = (sum / weight).sqrt();
        // the prior of the lens: distortions of a tenth are common, of a third are not
        let variance = (sigma / s) * (sigma / s);
        for (i, (k, spread)) in [(lens.k1, 0.15), (lens.k2, 0.05)].into_iter().enumerate() {
            let pull = if with_lens { variance / (spread * spread) } else { 1e12 };
            a[8 + i][8 + i] += pull;
            b[8 + i] -= if with_lens { pull * k } else { 0.0 };
        }
        for (i, row) in a.iter_mut().enumerate().take(8) {
            row[i] += 1e-12;
        }
        let step = solve(&mut a, &mut b)?;
        for i in 0..8 {
            h[i] += step[i];
        }
        if with_lens {
            lens.k1 += step[8];
            lens.k2 += step[9];
        }
        if round > 3 && step.iter().all(|v| v.abs() < 1e-9) {
            break;
        }
    }
    Some((uncentred(&h, size), lens, residual))
}
