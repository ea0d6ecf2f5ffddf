import type { SellerProfile } from "../market/listing.ts";
import { drawsFor, weightedChoice } from "./draws.ts";

const UNRATED_SHARE = 0.08;
const MEAN_REVIEWS = 80;

const countryChoice = weightedChoice([
  ["FR", 78],
  ["BE", 7],
  ["IT", 5],
  ["ES", 5],
  ["NL", 3],
  ["LU", 2],
] as const);

/** Generates the profile of a seller. Pure. */
export function drawSellerProfile(seed: number, id: number): SellerProfile {
  const draws = drawsFor(seed, "seller profile", id);
  const country = countryChoice(draws);
  if (draws.chance(UNRATED_SHARE)) return { rating: null, reviews: 0, country };
  const rating = Math.round((5 - draws.exponential() * 0.25) * 10) / 10;
  return {
    rating: Math.min(5, Math.max(1, rating)),
    reviews: 1 + Math.floor(draws.exponential() * MEAN_REVIEWS),
    country,
  };
}
