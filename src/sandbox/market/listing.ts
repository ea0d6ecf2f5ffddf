/** A listing as the market itself knows it: what it serves, and what only it knows (category, colours, fate). */
export interface MarketListing extends ListingFacts {
  readonly id: number;
  /** Its number in the seeded world; null: published by hand, hence never touched by the world. */
  readonly serial: number | null;
  readonly publishedAtMs: number;
  readonly state: ListingState;
  /** While somebody else than our accounts holds it; null otherwise. */
  readonly reservedUntilMs: number | null;
}

export type ListingState = "available" | "reserved" | "sold" | "withdrawn";

/** What a listing is, whoever wrote it. */
export interface ListingFacts {
  readonly title: string;
  /** "" where the seller named none. */
  readonly brandTitle: string;
  readonly sizeTitle: string;
  readonly conditionLabel: string;
  readonly leafId: number;
  /** The marketplace's colours: searched for, never printed. */
  readonly colourIds: readonly number[];
  /** Without the protection fee. */
  readonly priceCents: number;
  readonly homeShippingCents: number;
  readonly pointShippingCents: number;
  readonly seller: MarketSeller;
  /** What its picture is drawn from. */
  readonly photoSeed: number;
  readonly favouriteCount: number;
  readonly isPromoted: boolean;
  /** Odd, but seen: its amounts are served as bare texts. */
  readonly hasBarePrices: boolean;
  /** Its payment waits for 3-D Secure. */
  readonly needsConfirmation: boolean;
  /** What becomes of it when nobody of ours buys it; null: nothing. */
  readonly fate: Fate | null;
}

export interface MarketSeller {
  readonly id: number;
  readonly login: string;
  readonly hasPhoto: boolean;
}

export interface Fate {
  readonly kind: "rival" | "withdrawal" | "price";
  readonly atMs: number;
  /** The new price of kind "price". */
  readonly priceCents: number;
}
