import type { MarketSeller } from "../market/listing.ts";
import names from "./data/seller-names.json" with { type: "json" };
import { drawsFor, type Draws } from "./draws.ts";

const SELLERS = 4_000;
const FIRST_SELLER_ID = 100_000_000;
const WITH_PHOTO_SHARE = 0.72;

/** Draws a seller; some sell far more than others. */
export function drawSeller(seed: number, draws: Draws): MarketSeller {
  // Squaring favours low numbers: a tenth of the sellers has about a third of the listings.
  const place = Math.floor(draws.next() ** 2 * SELLERS);
  const own = drawsFor(seed, "seller", place);
  return { id: FIRST_SELLER_ID + place, login: loginOf(own), hasPhoto: own.chance(WITH_PHOTO_SHARE) };
}

/** A user name such as people choose. */
function loginOf(draws: Draws): string {
  const name = draws.pick(names.firstNames);
  const number = draws.pick([draws.whole(1, 99), draws.whole(1960, 2006), draws.whole(100, 9_999)]);
  switch (draws.whole(0, 6)) {
    case 0:
      return `${name}${number}`;
    case 1:
      return `${name}_${draws.pick(LETTERS)}${draws.whole(1, 99)}`;
    case 2:
      return `${name}.${draws.pick(names.firstNames)}`;
    case 3:
      return `${draws.pick(names.wardrobes)}_${name}`;
    case 4:
      return `${name}${draws.pick(LETTERS)}${number}`;
    case 5:
      return `${draws.pick(names.petNames)}${number}`;
    default:
      return `${name}_${draws.pick(names.wardrobes)}`;
  }
}

const LETTERS = "abcdefghjklmnprstv".split("");
