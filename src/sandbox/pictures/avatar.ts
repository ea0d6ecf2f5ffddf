import { drawsFor, type Draws } from "../world/draws.ts";

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
