/** Facts of a seller's profile; null: unknown. */
export interface SellerFacts {
  /** 0 to 5; null also for a seller without ratings. */
  readonly rating: number | null;
  readonly reviewCount: number | null;
  /** ISO 3166-1, two capital letters. */
  readonly countryCode: string | null;
}

/** A filter's conditions on sellers. Null and an empty list: no condition. */
export interface SellerCondition {
  /** 1 to 5. */
  readonly minRating: number | null;
  readonly minReviews: number | null;
  readonly countryCodes: readonly string[];
  /** Whether a listing whose seller stays unknown is dropped after a while ("hold") or passes. */
  readonly ifUnknown: "hold" | "pass";
}

export const ANY_SELLER: SellerCondition = {
  minRating: null,
  minReviews: null,
  countryCodes: [],
  ifUnknown: "hold",
};

/** Whether the condition needs any fact of the seller. */
export function asksForSeller({ minRating, minReviews, countryCodes }: SellerCondition): boolean {
  return minRating !== null || minReviews !== null || countryCodes.length > 0;
}

export type SellerVerdict = "allows" | "refuses" | "unknown";

/**
 * One known fact that fails the condition refuses the seller, even if others are unknown.
 * @param facts null: nothing is known
 */
export function judgeSeller(condition: SellerCondition, facts: SellerFacts | null): SellerVerdict {
  const { minRating, minReviews, countryCodes } = condition;
  const verdicts: readonly SellerVerdict[] = [
    minRating === null ? "allows" : verdictOf(facts?.rating ?? null, (rating) => rating >= minRating),
    minReviews === null ? "allows" : verdictOf(facts?.reviewCount ?? null, (count) => count >= minReviews),
    countryCodes.length === 0
      ? "allows"
      : verdictOf(facts?.countryCode ?? null, (code) => countryCodes.includes(code)),
  ];
  if (verdicts.includes("refuses")) return "refuses";
  return verdicts.includes("unknown") ? "unknown" : "allows";
}

function verdictOf<Fact>(fact: Fact | null, allows: (fact: Fact) => boolean): SellerVerdict {
  if (fact === null) return "unknown";
  return allows(fact) ? "allows" : "refuses";
}
