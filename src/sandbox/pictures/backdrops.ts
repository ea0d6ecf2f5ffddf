import type { Draws } from "../world/draws.ts";
import type { Placing } from "./drawing.ts";
import { luminanceOf, mixed } from "./palette.ts";
import { softArea, softStroke } from "./soft-edges.ts";

/** The background of a photo. */
interface Backdrop {
  readonly svg: string;
  /** The ground level for standing items. */
  readonly groundY: number;
}

type DrawBackdrop = (tone: string, draws: Draws) => string;

interface Place {
  readonly draw: DrawBackdrop;
  readonly tones: readonly string[];
}

const CANVAS = `M0 0h600v800h-600z`;

const FLOORS: readonly Place[] = [
  { draw: planks, tones: ["#b88a5f", "#a57648", "#c9a57c", "#8a6243", "#d5bfa2"] },
  { draw: herringbone, tones: ["#b48759", "#c39c6d", "#946a45"] },
  { draw: sheet, tones: ["#e9e7e3", "#dfe4e8", "#e8dcd4", "#c9ced6", "#b9c4b8", "#ddd0c0"] },
  { draw: sheet, tones: ["#8c96a3", "#6f7d86", "#a98f86", "#58616e"] },
  { draw: marble, tones: ["#eceae7", "#e4e1de"] },
  { draw: carpet, tones: ["#b9b2a7", "#8e8b88", "#d3cabd", "#7b8289"] },
  { draw: tiles, tones: ["#cfc9bf", "#dedbd6", "#a8a49d"] },
  { draw: plainPaper, tones: ["#d9d2c6", "#c8d0d0", "#e2d3cb", "#b7b3ad"] },
];
const WALLS: readonly Place[] = [
  { draw: door, tones: ["#ecebe6", "#dcd8cf", "#b9c0bf"] },
  { draw: plaster, tones: ["#e6e2da", "#d5dad9", "#dfd3c6", "#b4bab3", "#c9c0c4"] },
  { draw: wardrobe, tones: ["#c9a57c", "#e4ddd2", "#8d6a4c"] },
];
const ROOMS: readonly Place[] = [
  { draw: tabletop, tones: ["#c39f73", "#a87c50", "#e5e1da", "#8b6446"] },
  { draw: skirting, tones: ["#b88a5f", "#c9a57c", "#9a9a98", "#cfc6b8"] },
  { draw: tabletop, tones: ["#d9d4cb", "#b9b4ac"] },
];

const PLACES: Readonly<Record<Placing, readonly Place[]>> = { flat: FLOORS, hung: WALLS, stood: ROOMS };
const GROUND_Y = 640;
/** The minimum difference in luminance between item and background. */
const LEAST_CONTRAST = 0.16;

export function drawBackdrop(placing: Placing, thing: string, draws: Draws): Backdrop {
  const options = PLACES[placing].flatMap(({ draw, tones }) => tones.map((tone) => ({ draw, tone })));
  const visible = options.filter(
    ({ tone }) => Math.abs(luminanceOf(tone) - luminanceOf(thing)) >= LEAST_CONTRAST,
  );
  const { draw, tone } = draws.pick(visible.length === 0 ? options : visible);
  return { svg: draw(tone, draws), groundY: GROUND_Y };
}

function fill(colour: string): string {
  return `<path d="${CANVAS}" fill="${colour}"/>`;
}

function planks(tone: string, draws: Draws): string {
  const width = draws.pick([74, 96, 128]);
  const turn = draws.pick([0, 90, draws.whole(-8, 8)]);
  const boards: string[] = [];
  for (let x = -220; x < 840; x += width) {
    const shade = mixed(tone, draws.chance(0.5) ? "#3a2616" : "#ffffff", draws.next() * 0.14);
    const jointY = draws.whole(-100, 800);
    boards.push(`<path d="M${x} -220h${width}v1240h-${width}z" fill="${shade}"/>`);
    const grain = Array.from({ length: 4 }, () => {
      const lineX = x + draws.whole(8, width - 8);
      const bend = draws.whole(-9, 9);
      return `M${lineX} -220C${lineX + bend} 120 ${lineX - bend} 560 ${lineX} 1020`;
    });
    boards.push(
      `<path d="${grain.join("")}" fill="none" stroke="#3d2817" stroke-width="1.6" stroke-opacity="${(0.08 + draws.next() * 0.14).toFixed(2)}"/>`,
    );
    boards.push(
      `<path d="M${x} -220v1240M${x} ${jointY}h${width}" stroke="#26180d" stroke-width="2.2" stroke-opacity=".38"/>`,
    );
  }
  return `<g transform="rotate(${turn} 300 400)">${boards.join("")}</g>`;
}

function herringbone(tone: string, draws: Draws): string {
  const light = mixed(tone, "#ffffff", 0.1);
  const dark = mixed(tone, "#3a2616", 0.13);
  const edge = 'stroke="#2b1b0f" stroke-opacity=".35" stroke-width="1.6"';
  const pattern = `<pattern id="floor" width="120" height="120" patternUnits="userSpaceOnUse" patternTransform="rotate(${draws.pick([0, 45])})"><path d="M0 0h120v120h-120z" fill="${tone}"/><path d="M0 0h90v30h-90zM30 60h90v30h-90z" fill="${light}" ${edge}/><path d="M90 0h30v90h-30zM0 30h30v90h-30z" fill="${dark}" ${edge}/><path d="M30 30h60v30h-60zM30 90h60v30h-60z" fill="${tone}" ${edge}/></pattern>`;
  return `${pattern}<path d="${CANVAS}" fill="url(#floor)"/>`;
}

/** Waves of equal width share a path, which keeps the number of elements low. */
const WAVE_GROUPS = 3;
const WAVES_IN_GROUP = 3;

/** Crumpled bed linen. */
function sheet(tone: string, draws: Draws): string {
  const shine = 0.12 + luminanceOf(tone) * 0.25;
  const waves = Array.from({ length: WAVE_GROUPS }, () => {
    const width = draws.whole(30, 70);
    const path = Array.from({ length: WAVES_IN_GROUP }, () => wave(draws)).join("");
    const shadow = softStroke(path, { colour: "#15171c", width, blur: 22, opacity: 0.11 });
    const light = softStroke(path, { colour: "#fff", width: width * 0.6, blur: 22, opacity: shine });
    return `${shadow}<g transform="translate(8 ${(-width * 0.7).toFixed(1)})">${light}</g>`;
  });
  const weave = draws.chance(0.3)
    ? `<pattern id="weave" width="${draws.pick([28, 64])}" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(${draws.whole(-20, 20)})"><path d="M0 0h6v8h-6z" fill="${mixed(tone, "#33465e", 0.3)}" fill-opacity=".5"/></pattern><path d="${CANVAS}" fill="url(#weave)"/>`
    : "";
  return `${fill(tone)}${weave}${waves.join("")}`;
}

function wave(draws: Draws): string {
  const y = draws.whole(-80, 840);
  const slope = draws.whole(-260, 260);
  const bend = draws.whole(-90, 90);
  return `M-40 ${y}C160 ${y + bend} 380 ${y + slope - bend} 660 ${y + slope}`;
}

function marble(tone: string, draws: Draws): string {
  const veins = Array.from({ length: 6 }, () => {
    const x = draws.whole(-100, 600);
    const path = `M${x} -20C${x + draws.whole(-80, 220)} 220 ${x + draws.whole(0, 260)} 420 ${x + draws.whole(60, 420)} 830`;
    const width = draws.whole(2, 9);
    const veil = softStroke(path, { colour: "#8b8e94", width: width * 3, blur: 9, opacity: 0.16 });
    return `${veil}<path d="${path}" fill="none" stroke="#7b7f86" stroke-width="${width / 3}" stroke-opacity=".5"/>`;
  });
  return `${fill(tone)}${veins.join("")}`;
}

function carpet(tone: string, draws: Draws): string {
  const dark = mixed(tone, "#1d1a17", 0.28);
  const light = mixed(tone, "#ffffff", 0.32);
  const tufts = (colour: string): string => {
    const path = Array.from(
      { length: 60 },
      () => `M${draws.whole(0, 104)} ${draws.whole(0, 104)}l${draws.whole(-4, 4)} ${draws.whole(3, 7)}`,
    );
    return `<path d="${path.join("")}" stroke="${colour}" stroke-width="1.6" stroke-opacity=".5"/>`;
  };
  return `${fill(tone)}<pattern id="tufts" width="109" height="109" patternUnits="userSpaceOnUse" patternTransform="rotate(${draws.whole(0, 80)})">${tufts(dark)}${tufts(light)}</pattern><path d="${CANVAS}" fill="url(#tufts)"/>`;
}

function tiles(tone: string, draws: Draws): string {
  const size = draws.pick([150, 210, 290]);
  const grout = mixed(tone, "#ffffff", 0.5);
  return `<pattern id="tiles" width="${size}" height="${size}" patternUnits="userSpaceOnUse" patternTransform="translate(${draws.whole(0, 90)} ${draws.whole(0, 90)}) rotate(${draws.pick([0, 0, 45])})"><path d="M0 0h${size}v${size}h-${size}z" fill="${grout}"/><path d="M4 4h${size - 8}v${size - 8}h-${size - 8}z" fill="${tone}"/><path d="M4 4h${size - 8}l-${size - 8} ${size - 8}z" fill="#fff" fill-opacity=".1"/></pattern><path d="${CANVAS}" fill="url(#tiles)"/>`;
}

function plainPaper(tone: string): string {
  return fill(tone);
}

function door(tone: string, draws: Draws): string {
  const shade = mixed(tone, "#2b2620", 0.2);
  const light = mixed(tone, "#ffffff", 0.6);
  const panel = (x: number, y: number, width: number, height: number): string =>
    `<path d="M${x} ${y}h${width}v${height}h-${width}z" fill="none" stroke="${shade}" stroke-width="5"/><path d="M${x + 5} ${y + height - 5}h${width - 10}v-${height - 10}" fill="none" stroke="${light}" stroke-width="4"/>`;
  const handleX = draws.chance(0.5) ? 30 : 552;
  return `${fill(tone)}${panel(86, -40, 190, 400)}${panel(324, -40, 190, 400)}${panel(86, 420, 190, 420)}${panel(324, 420, 190, 420)}<circle cx="${handleX + 8}" cy="470" r="15" fill="#8f8a80"/><circle cx="${handleX + 5}" cy="466" r="6" fill="#d8d4ca"/>`;
}

function plaster(tone: string, draws: Draws): string {
  const side = draws.chance(0.5) ? 0 : 600;
  const beam = `<path d="M${side} 0L300 0L${side === 0 ? 140 : 460} 800L${side} 800z"/>`;
  return `${fill(tone)}${softArea(beam, { id: "beam", colour: "#fff", blur: 9, opacity: 0.16 })}`;
}

function wardrobe(tone: string, draws: Draws): string {
  const middle = draws.whole(250, 350);
  const dark = mixed(tone, "#2b1b0f", 0.45);
  return `${planks(tone, draws)}<path d="M${middle} 0v800" stroke="${dark}" stroke-width="6" stroke-opacity=".7"/><path d="M${middle + 4} 0v800" stroke="#fff" stroke-width="2" stroke-opacity=".35"/><path d="M${middle - 26} 372v70M${middle + 28} 372v70" stroke="#6f6a62" stroke-width="9" stroke-linecap="round"/>`;
}

function tabletop(tone: string, draws: Draws): string {
  const wall = draws.pick(["#e7e3db", "#d3d8d6", "#cfc4b8", "#b8bfb9", "#efe9e2"]);
  const edge = mixed(tone, "#20150c", 0.4);
  const grain = Array.from({ length: 7 }, () => {
    const y = draws.whole(560, 790);
    return `<path d="M0 ${y}C200 ${y + draws.whole(-8, 8)} 400 ${y + draws.whole(-8, 8)} 600 ${y}" stroke="${edge}" stroke-width="1.6" fill="none" stroke-opacity=".2"/>`;
  });
  return `${fill(wall)}<path d="M0 0h600v540h-600z" fill="url(#wallLight)"/><path d="M0 540h600v260h-600z" fill="${tone}"/>${grain.join("")}<path d="M0 540h600" stroke="${edge}" stroke-width="2" stroke-opacity=".5"/>`;
}

function skirting(tone: string, draws: Draws): string {
  const wall = draws.pick(["#e9e6e0", "#d9dcdb", "#e0d4c8", "#c8cdc6"]);
  return `<g transform="translate(0 200) scale(1 1)">${planks(tone, draws)}</g><path d="M0 0h600v500h-600z" fill="${wall}"/><path d="M0 0h600v500h-600z" fill="url(#wallLight)"/><path d="M0 452h600v64h-600z" fill="#f4f2ee"/><path d="M0 452h600" stroke="#b9b5ad" stroke-width="2.4"/><path d="M0 516h600" stroke="#3b3128" stroke-width="5" stroke-opacity=".45"/>`;
}
