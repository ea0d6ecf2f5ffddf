import type { Pattern } from "../world/kinds.ts";
import type { Draws } from "../world/draws.ts";
import { luminanceOf, mixed, type Palette } from "./palette.ts";

/** The SVG pattern with the id "cloth"; empty for plain cloth. */
export function clothPattern(pattern: Pattern, palette: Palette, draws: Draws): string {
  const size = draws.whole(0, 2);
  const contrast = palette.colourOf("second");
  const drawn: Readonly<Record<Pattern, () => string>> = {
    plain: () => "",
    knit: () => knit(palette),
    stripes: () => stripes(contrast, [22, 34, 54][size] ?? 34),
    dots: () => dots(contrast, [24, 36, 58][size] ?? 36),
    checks: () => checks(palette, contrast, [36, 60, 84][size] ?? 60),
    flowers: () => flowers(palette, draws),
    leopard: () => leopard(palette, draws),
    print: () => leaves(contrast, draws),
  };
  return drawn[pattern]();
}

function definition(width: number, height: number, content: string, turn = 0): string {
  return `<pattern id="cloth" width="${width}" height="${height}" patternUnits="userSpaceOnUse" patternTransform="rotate(${turn})">${content}</pattern>`;
}

function knit(palette: Palette): string {
  const dark = mixed(palette.main, "#000000", 0.25);
  const light = mixed(palette.main, "#ffffff", 0.22);
  return definition(
    14,
    12,
    `<path d="M0 0q3.5 9 7 9t7-9" fill="none" stroke="${dark}" stroke-width="2" opacity=".55"/><path d="M0 3q3.5 9 7 9t7-9" fill="none" stroke="${light}" stroke-width="1.4" opacity=".5"/>`,
  );
}

function stripes(colour: string, gap: number): string {
  return definition(gap, gap, `<path d="M0 0h${gap}v${Math.round(gap * 0.4)}h-${gap}z" fill="${colour}"/>`);
}

function dots(colour: string, gap: number): string {
  const radius = gap * 0.15;
  return definition(
    gap,
    gap,
    `<circle cx="${gap / 4}" cy="${gap / 4}" r="${radius}" fill="${colour}"/><circle cx="${gap * 0.75}" cy="${gap * 0.75}" r="${radius}" fill="${colour}"/>`,
  );
}

function checks(palette: Palette, contrast: string, gap: number): string {
  const band = gap * 0.42;
  const thin = mixed(palette.main, luminanceOf(palette.main) > 0.5 ? "#7c2f2a" : "#e9d9a8", 0.7);
  return definition(
    gap,
    gap,
    `<path d="M0 0h${gap}v${band}h-${gap}z" fill="${contrast}" opacity=".45"/><path d="M0 0v${gap}h${band}v-${gap}z" fill="${contrast}" opacity=".45"/><path d="M0 ${gap * 0.72}h${gap}M${gap * 0.72} 0v${gap}" stroke="${thin}" stroke-width="2.4" opacity=".8"/>`,
  );
}

const PETALS = ["#e4708a", "#f2ede2", "#e7b23f", "#8fb6d9", "#d9534a", "#c78fc2"] as const;

function flowers(palette: Palette, draws: Draws): string {
  const leaf = luminanceOf(palette.main) > 0.45 ? "#5b7b4c" : "#9db685";
  const blossoms = Array.from({ length: 7 }, () => {
    const x = draws.whole(12, 108);
    const y = draws.whole(12, 108);
    return blossom({ x, y, radius: draws.whole(6, 12), colour: draws.pick(PETALS), leaf });
  });
  return definition(120, 120, blossoms.join(""), draws.whole(0, 45));
}

function blossom(at: { x: number; y: number; radius: number; colour: string; leaf: string }): string {
  const { x, y, radius, colour, leaf } = at;
  const petals = [0, 72, 144, 216, 288].map(
    (turn) =>
      `<ellipse cx="${x}" cy="${y - radius * 0.72}" rx="${radius * 0.5}" ry="${radius * 0.68}" fill="${colour}" transform="rotate(${turn} ${x} ${y})"/>`,
  );
  return `<path d="M${x} ${y}q${radius * 1.4} ${radius * 0.6} ${radius * 1.8} ${radius * 2}q-${radius * 1.6} -${radius * 0.2} -${radius * 1.8} -${radius * 2}" fill="${leaf}"/>${petals.join("")}<circle cx="${x}" cy="${y}" r="${radius * 0.34}" fill="#f0d27a"/>`;
}

function leopard(palette: Palette, draws: Draws): string {
  const dark = luminanceOf(palette.main) > 0.3 ? "#2c221c" : "#8a6b4a";
  const spots = Array.from({ length: 11 }, () => {
    const x = draws.whole(4, 92);
    const y = draws.whole(4, 92);
    const r = draws.whole(5, 10);
    return `<path d="M${x - r} ${y}a${r} ${r * 0.8} 0 0 1 ${r * 1.6} -${r * 0.5}M${x + r} ${y + 2}a${r} ${r * 0.9} 0 0 1 -${r * 1.5} ${r * 0.6}" fill="none" stroke="${dark}" stroke-width="${r * 0.55}" stroke-linecap="round"/>`;
  });
  return definition(96, 96, spots.join(""), draws.whole(0, 60));
}

function leaves(colour: string, draws: Draws): string {
  const shapes = Array.from({ length: 6 }, () => {
    const x = draws.whole(10, 80);
    const y = draws.whole(10, 80);
    const turn = draws.whole(0, 359);
    return `<path d="M${x} ${y}q14 -12 28 0q-14 12 -28 0M${x} ${y}h28" fill="${colour}" stroke="${colour}" stroke-width="1" opacity=".85" transform="rotate(${turn} ${x} ${y})"/>`;
  });
  return definition(96, 96, shapes.join(""), draws.whole(0, 40));
}
