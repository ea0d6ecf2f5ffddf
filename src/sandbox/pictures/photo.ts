import { kindOf, patternOf } from "../world/kinds.ts";
import { drawsFor, type Draws } from "../world/draws.ts";
import { drawBackdrop } from "./backdrops.ts";
import { drawShape, type Drawing, type Piece, type Placing } from "./drawing.ts";
import { clothPattern } from "./fabric.ts";
import { paletteOf, mixed, type Palette } from "./palette.ts";
import { softArea, softStroke } from "./soft-edges.ts";

/** The parameters of a photo, all of which are in its URL. */
interface PhotoSubject {
  readonly seed: number;
  readonly leafId: number;
  /** Marketplace colour ids; the first is the main colour. */
  readonly colourIds: readonly number[];
}

/** A photo of a second-hand item: an SVG of 600 × 800. Pure. */
export function drawPhoto({ seed, leafId, colourIds }: PhotoSubject): string {
  const draws = drawsFor("photo", seed);
  const { shape } = kindOf(leafId);
  const palette = paletteOf(colourIds, draws, shape === "jeans");
  const drawing = drawShape(shape, draws);
  const placing = draws.pick(drawing.placings);
  const backdrop = drawBackdrop(placing, palette.main, draws);
  const cloth = clothPattern(patternOf(seed, shape), palette, draws);
  const thing = drawThing(drawing, palette, cloth !== "");
  const place = placeOf(drawing, placing, backdrop.groundY, draws);
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 800" width="600" height="800">',
    `<defs>${DEFINITIONS}${cloth}${outline(drawing)}</defs>`,
    backdrop.svg,
    `<g transform="${place}">`,
    shadowOf(drawing, placing),
    placing === "hung" ? hanger(drawing, draws) : "",
    thing,
    "</g>",
    light(draws),
    "</svg>",
  ].join("");
}

const DEFINITIONS = `<linearGradient id="wallLight" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#fff" stop-opacity=".3"/><stop offset="1" stop-color="#000" stop-opacity=".12"/></linearGradient><radialGradient id="ground"><stop offset="0" stop-color="#0b0706" stop-opacity=".46"/><stop offset=".55" stop-color="#0b0706" stop-opacity=".34"/><stop offset=".8" stop-color="#0b0706" stop-opacity=".12"/><stop offset="1" stop-color="#0b0706" stop-opacity="0"/></radialGradient><linearGradient id="bodyLight" x1="0" y1="0" x2="1" y2=".35"><stop offset="0" stop-color="#fff" stop-opacity=".26"/><stop offset=".45" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity=".3"/></linearGradient>`;

/** A slight random rotation, scale and offset, as of a hand-held camera. */
function placeOf(drawing: Drawing, placing: Placing, groundY: number, draws: Draws): string {
  const turn = placing === "flat" ? draws.whole(-9, 9) : draws.whole(-2, 2);
  const scale = (placing === "stood" ? 0.94 : 1) + draws.next() * 0.18;
  const moveX = draws.whole(-22, 22);
  const moveY = placing === "stood" ? groundY + draws.whole(10, 60) - drawing.groundY : draws.whole(-24, 20);
  return `translate(${300 + moveX} ${400 + moveY}) rotate(${turn}) scale(${scale.toFixed(3)}) translate(-300 -400)`;
}

function drawThing(drawing: Drawing, palette: Palette, hasPattern: boolean): string {
  const pieces = drawing.pieces.map((piece) => pieceSvg(piece, palette, { hasPattern, drawing })).join("");
  const details = drawing.details
    .map((piece) => `<path d="${piece.path}" fill="${palette.colourOf(piece.tone)}" fill-rule="evenodd"/>`)
    .join("");
  const line = mixed(palette.main, "#120e12", 0.55);
  const thread = mixed(palette.main, "#f2d8a0", 0.6);
  const seams = lines(drawing.seams, `stroke="${line}" stroke-width="2.2" stroke-opacity=".55"`);
  const stitches = lines(
    drawing.stitches,
    `stroke="${thread}" stroke-width="2" stroke-opacity=".75" stroke-dasharray="7 5"`,
  );
  return `${pieces}${folds(drawing)}${seams}${stitches}${details}`;
}

function lines(path: string, look: string): string {
  return path === "" ? "" : `<path d="${path}" fill="none" stroke-linecap="round" ${look}/>`;
}

function pieceSvg(
  { path, tone, isPatterned }: Piece,
  palette: Palette,
  { hasPattern, drawing }: { hasPattern: boolean; drawing: Drawing },
): string {
  const colour = palette.colourOf(tone);
  const { strokeWidth } = drawing;
  if (strokeWidth !== null) {
    const stroke = (of: string, width: number): string =>
      `<path d="${path}" fill="none" stroke="${of}" stroke-width="${width}" stroke-linecap="round"/>`;
    return `${stroke(mixed(colour, "#120e12", 0.45), strokeWidth + 3)}${stroke(colour, strokeWidth)}${stroke("#ffffff40", strokeWidth * 0.3)}`;
  }
  const edge = mixed(solid(colour), "#120e12", 0.4);
  const base = `<path d="${path}" fill="${colour}" fill-rule="evenodd" stroke="${edge}" stroke-opacity=".5" stroke-width="1.6"/>`;
  const cloth = isPatterned && hasPattern ? `<path d="${path}" fill="url(#cloth)"/>` : "";
  return `${base}${cloth}<path d="${path}" fill="url(#bodyLight)" fill-rule="evenodd"/>`;
}

/** Removes the alpha channel of a colour. */
function solid(colour: string): string {
  return colour.slice(0, 7);
}

/** Clips folds to the cloth. */
function outline({ pieces }: Drawing): string {
  return `<clipPath id="within">${pieces.map(({ path }) => `<path d="${path}"/>`).join("")}</clipPath>`;
}

function folds({ folds: path }: Drawing): string {
  if (path === "") return "";
  const shadow = softStroke(path, { colour: "#08060c", width: 17, blur: 9, opacity: 0.2 });
  const shine = softStroke(path, { colour: "#fff", width: 8, blur: 9, opacity: 0.2 });
  return `<g clip-path="url(#within)">${shadow}<g transform="translate(-13 -3)">${shine}</g></g>`;
}

function shadowOf(drawing: Drawing, placing: Placing): string {
  if (placing === "stood") {
    const y = drawing.groundY;
    return `<ellipse cx="308" cy="${y}" rx="226" ry="46" fill="url(#ground)"/>`;
  }
  const move = placing === "hung" ? "translate(16 22)" : "translate(8 11)";
  const { strokeWidth } = drawing;
  const outline = drawing.pieces.map(({ path }) =>
    strokeWidth === null
      ? `<path d="${path}"/>`
      : `<path d="${path}" fill="none" stroke-width="${strokeWidth}"/>`,
  );
  const shadow = softArea(outline.join(""), { id: "cast", colour: "#0b0706", blur: 12, opacity: 0.38 });
  return `<g transform="${move}">${shadow}</g>`;
}

/** A hanger on a hook, for items with shoulders. */
function hanger({ shoulderY }: Drawing, draws: Draws): string {
  if (shoulderY === null) return "";
  const y = shoulderY;
  const colour = draws.pick(["#a87b4c", "#2d2c2f", "#e8e4da", "#8f8a84"]);
  return `<path d="M300 ${y - 34}V${y - 62}C300 ${y - 84} 330 ${y - 84} 328 ${y - 104}C326 ${y - 126} 288 ${y - 124} 288 ${y - 102}" fill="none" stroke="#9a968f" stroke-width="6" stroke-linecap="round"/><path d="M196 ${y + 26}Q300 ${y - 66} 404 ${y + 26}" fill="none" stroke="${colour}" stroke-width="15" stroke-linecap="round"/>`;
}

/** A warm or cold light from one side, darker towards the corners. */
function light(draws: Draws): string {
  const tint = draws.pick(["#ffb45e", "#ffcf9a", "#9ec4ff", "#ffffff", "#d8ffd6"]);
  const strength = 0.03 + draws.next() * 0.1;
  const x = draws.whole(15, 85);
  const dark = 0.1 + draws.next() * 0.2;
  const corner = mixed("#000000", tint, strength / (strength + dark));
  return `<radialGradient id="room" cx="${x}%" cy="${draws.whole(5, 45)}%" r="95%"><stop offset=".35" stop-color="${tint}" stop-opacity="${strength.toFixed(3)}"/><stop offset="1" stop-color="${corner}" stop-opacity="${(strength + dark).toFixed(3)}"/></radialGradient><path d="M0 0h600v800h-600z" fill="url(#room)"/>`;
}

const GROUNDS = ["#c9ddd8", "#e8d3c3", "#d6d0e4", "#e9dfb8", "#cbd9e6", "#e4c7c9", "#d2dcc3"] as const;
const SKINS = ["#f1cdb0", "#e3b48f", "#c98f66", "#9a6a48", "#6f4a33"] as const;
const HAIRS = ["#2b211c", "#4d3224", "#8a5a36", "#c6934f", "#b8503a", "#9d9a97"] as const;
const CLOTHES = ["#35526b", "#8c3f46", "#4f6b4c", "#d08a4a", "#6d5a82", "#2f2f35", "#d9c7a6"] as const;

/** A profile picture: an SVG of 96 × 96. Pure. */
export function drawAvatar(seed: number): string {
  const draws = drawsFor("avatar", seed);
  const skin = draws.pick(SKINS);
  const hair = draws.pick(HAIRS);
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96">',
    `<path d="M0 0h96v96h-96z" fill="${draws.pick(GROUNDS)}"/>`,
    draws.chance(0.15) ? pet(draws) : person({ skin, hair, clothes: draws.pick(CLOTHES) }, draws),
    "</svg>",
  ].join("");
}

function person(look: { skin: string; hair: string; clothes: string }, draws: Draws): string {
  const { skin, hair, clothes } = look;
  const isLong = draws.chance(0.6);
  const back = isLong
    ? `<path d="M24 ${draws.whole(60, 80)}C20 34 28 16 48 16s28 18 24 ${draws.whole(44, 62)}z" fill="${hair}"/>`
    : "";
  const fringe = draws.pick([
    "M29 42C28 24 38 18 48 18s20 6 19 24c-6-10-14-12-19-12s-13 2-19 12z",
    "M29 44C26 22 40 17 50 18s19 8 17 26c-2-10-10-16-22-15s-14 6-16 15z",
    "M30 40C30 24 38 19 48 19s18 5 18 21C60 33 52 34 44 33s-11 3-14 7z",
  ]);
  const glasses = draws.chance(0.22)
    ? '<path d="M36 47a5 5 0 1 0 10 0a5 5 0 1 0 -10 0M50 47a5 5 0 1 0 10 0a5 5 0 1 0 -10 0M46 46h4" fill="none" stroke="#2b2b2f" stroke-width="1.6"/>'
    : "";
  return `${back}<path d="M14 96C16 76 30 70 48 70s32 6 34 26z" fill="${clothes}"/><path d="M41 58h14v14q-7 7-14 0z" fill="${skin}"/><ellipse cx="48" cy="46" rx="17" ry="20" fill="${skin}"/><path d="${fringe}" fill="${hair}"/><circle cx="41.500" cy="47" r="1.900" fill="#2b2320"/><circle cx="54.500" cy="47" r="1.900" fill="#2b2320"/><path d="M42 56q6 5 12 0" fill="none" stroke="#8a4a3c" stroke-width="1.800" stroke-linecap="round"/>${glasses}`;
}

/** A cat, for some profiles. */
function pet(draws: Draws): string {
  const fur = draws.pick(["#8d8f94", "#d39a5d", "#2f2d30", "#e8e0d2"]);
  const eye = draws.pick(["#7aa35a", "#d5a53c", "#6d9cc0"]);
  return `<path d="M22 96C22 76 34 70 48 70s26 6 26 26z" fill="${fur}"/><path d="M24 46L26 18 42 32zM72 46L70 18 54 32z" fill="${fur}"/><ellipse cx="48" cy="50" rx="25" ry="22" fill="${fur}"/><ellipse cx="39" cy="47" rx="4.500" ry="5" fill="${eye}"/><ellipse cx="57" cy="47" rx="4.500" ry="5" fill="${eye}"/><path d="M39 43v8M57 43v8" stroke="#16131a" stroke-width="2"/><path d="M45 55h6l-3 4z" fill="#c98686"/><path d="M48 59q-4 5-8 2M48 59q4 5 8 2" fill="none" stroke="#16131a" stroke-width="1.300"/>`;
}
