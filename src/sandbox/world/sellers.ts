import type { MarketSeller } from "../market/listing.ts";
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
  const name = draws.pick(FIRST_NAMES);
  const number = draws.pick([draws.whole(1, 99), draws.whole(1960, 2006), draws.whole(100, 9_999)]);
  switch (draws.whole(0, 6)) {
    case 0:
      return `${name}${number}`;
    case 1:
      return `${name}_${draws.pick(LETTERS)}${draws.whole(1, 99)}`;
    case 2:
      return `${name}.${draws.pick(FIRST_NAMES)}`;
    case 3:
      return `${draws.pick(WARDROBES)}_${name}`;
    case 4:
      return `${name}${draws.pick(LETTERS)}${number}`;
    case 5:
      return `${draws.pick(PET_NAMES)}${number}`;
    default:
      return `${name}_${draws.pick(WARDROBES)}`;
  }
}

const LETTERS = "abcdefghjklmnprstv".split("");
const WARDROBES = [
  "dressing",
  "vide",
  "vestiaire",
  "armoire",
  "friperie",
  "seconde.vie",
  "les.tresors",
  "shop",
] as const;
const PET_NAMES = [
  "lilou",
  "titoune",
  "choupette",
  "mimi",
  "nounours",
  "pepette",
  "loulou",
  "bichette",
  "poupouille",
  "cricri",
] as const;
const FIRST_NAMES = [
  "camille",
  "lea",
  "manon",
  "chloe",
  "emma",
  "ines",
  "sarah",
  "laura",
  "julie",
  "marie",
  "pauline",
  "celine",
  "sandrine",
  "nathalie",
  "isabelle",
  "sophie",
  "aurelie",
  "emilie",
  "stephanie",
  "virginie",
  "amandine",
  "elodie",
  "justine",
  "clara",
  "lucie",
  "alice",
  "jade",
  "louise",
  "nina",
  "romane",
  "charlotte",
  "margaux",
  "anais",
  "oceane",
  "melanie",
  "audrey",
  "delphine",
  "valerie",
  "caroline",
  "severine",
  "fatima",
  "nadia",
  "samira",
  "leila",
  "yasmine",
  "aicha",
  "linh",
  "ana",
  "ines",
  "karine",
  "corinne",
  "sylvie",
  "brigitte",
  "thomas",
  "lucas",
  "hugo",
  "theo",
  "maxime",
  "antoine",
  "nicolas",
  "julien",
  "kevin",
  "mehdi",
  "karim",
  "yanis",
  "romain",
  "alexandre",
  "quentin",
  "benoit",
  "fabien",
  "olivier",
  "laurent",
  "patrick",
  "mathis",
  "enzo",
  "nathan",
] as const;
