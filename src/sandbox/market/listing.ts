/**
 * A listing with everything the market stores about it, including what the API never shows (category,
 * colours, fate).
 */
export interface MarketListing extends ListingFacts {
  readonly id: number;
  /**
   * Its number in the generated world; null when published by a control call, and then the world never
   * changes it.
   */
  readonly serial: number | null;
  readonly publishedAtMs: number;
  readonly state: ListingState;
  /** Set while a simulated buyer holds it. */
  readonly reservedUntilMs: number | null;
}

export type ListingState = "available" | "reserved" | "sold" | "withdrawn";

/** The properties of a listing that its seller chooses or that are generated. */
export interface ListingFacts {
  readonly title: string;
  /** Empty when the seller named no brand. */
  readonly brandTitle: string;
  readonly sizeTitle: string;
  readonly conditionLabel: string;
  readonly leafId: number;
  /** Marketplace colour ids: searchable, never shown by the API. */
  readonly colourIds: readonly number[];
  /** Without the protection fee. */
  readonly priceCents: number;
  readonly homeShippingCents: number;
  readonly pointShippingCents: number;
  readonly seller: MarketSeller;
  readonly photoSeed: number;
  readonly favouriteCount: number;
  readonly isPromoted: boolean;
  /** Its amounts are served as plain strings, which real marketplaces occasionally do. */
  readonly hasBarePrices: boolean;
  /** Its payment requires 3-D Secure. */
  readonly needsConfirmation: boolean;
  /** What happens to the listing unless an account of the sandbox buys it first; null for nothing. */
  readonly fate: Fate | null;
}

export interface MarketSeller {
  readonly id: number;
  readonly login: string;
  readonly hasPhoto: boolean;
}

export interface SellerProfile {
  /** 0 to 5; null without ratings. */
  readonly rating: number | null;
  readonly reviews: number;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

export interface Fate {
  readonly kind: "rival" | "withdrawal" | "price" | "relist";
  readonly atMs: number;
  /** The new price for the kinds "price" and "relist". */
  readonly priceCents: number;
}
