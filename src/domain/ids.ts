declare const idKind: unique symbol;

type Id<Kind extends string> = string & { readonly [idKind]: Kind };

export type UserId = Id<"user">;
export type FilterId = Id<"filter">;
export type GroupId = Id<"group">;
export type PurchaseId = Id<"purchase">;
/** The SHA-256 of a session's secret, in hex; never the secret itself. */
export type SessionId = Id<"session">;

/** The marketplace's id of a listing. */
export type ListingId = number & { readonly [idKind]: "listing" };

// The only casts from plain values: use them where a value enters the product.
export const asUserId = (text: string): UserId => text as UserId;
export const asFilterId = (text: string): FilterId => text as FilterId;
export const asGroupId = (text: string): GroupId => text as GroupId;
export const asPurchaseId = (text: string): PurchaseId => text as PurchaseId;
export const asSessionId = (text: string): SessionId => text as SessionId;
export const asListingId = (number: number): ListingId => number as ListingId;
