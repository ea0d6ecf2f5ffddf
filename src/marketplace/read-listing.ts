import { z } from "zod";
import { withoutControls } from "#catalogue/fold-text.ts";
import { asListingId } from "#domain/ids.ts";
import type { Listing } from "#domain/market/listing.ts";
import { parseEurCents } from "#domain/money.ts";
import { wireId, wireMoney } from "./wire.ts";

/** Some answers have a bare decimal text instead of an amount with a currency; it means EUR. */
const moneyOrText = z.union([
  wireMoney,
  z
    .string()
    .max(20)
    .transform((amount) => ({ amount, currency_code: "EUR" })),
]);

/** An item of the catalogue: the adapter validates with it, the sandbox serves it. */
export const wireItem = z.object({
  id: wireId,
  title: z.string().max(500),
  price: moneyOrText,
  service_fee: moneyOrText.nullish(),
  total_item_price: moneyOrText,
  brand_title: z.string().max(200).nullish(),
  size_title: z.string().max(100).nullish(),
  status: z.string().max(100).nullish(),
  path: z.string().max(500),
  url: z.string().max(1_000).nullish(),
  promoted: z.boolean().nullish(),
  favourite_count: z.number().nullish(),
  view_count: z.number().nullish(),
  user: z.object({
    id: wireId,
    login: z.string().max(100),
    photo: z.object({ url: z.string().max(1_000) }).nullish(),
  }),
  photo: z
    .object({
      id: z.number().nullish(),
      url: z.string().max(1_000),
      width: z.number().nullish(),
      height: z.number().nullish(),
      dominant_color: z.string().max(20).nullish(),
      high_resolution: z.object({ id: z.string().nullish(), timestamp: z.number().nullish() }).nullish(),
    })
    .nullish(),
});

/**
 * Converts a catalogue item; null if it is invalid: a missing field or one of another type, an amount that is
 * not a plain decimal in EUR, a total below the item's price, a path to another host.
 */
export function toListing(raw: unknown): Listing | null {
  const parsed = wireItem.safeParse(raw);
  if (!parsed.success) return null;
  const item = parsed.data;
  const itemPriceCents = parseEurCents(item.price);
  const totalPriceCents = parseEurCents(item.total_item_price);
  if (itemPriceCents === null || totalPriceCents === null || totalPriceCents < itemPriceCents) return null;
  if (!isOwnPath(item.path)) return null;
  return {
    id: asListingId(item.id),
    title: withoutControls(item.title),
    brandTitle: withoutControls(item.brand_title ?? ""),
    sizeTitle: withoutControls(item.size_title ?? ""),
    conditionLabel: withoutControls(item.status ?? ""),
    itemPriceCents,
    totalPriceCents,
    path: item.path,
    photoUrl: webAddress(item.photo?.url),
    photoDominantColour: hexColour(item.photo?.dominant_color),
    photoTakenAtUnixS: unixSeconds(item.photo?.high_resolution?.timestamp),
    seller: {
      id: item.user.id,
      login: withoutControls(item.user.login),
      photoUrl: webAddress(item.user.photo?.url),
    },
    isPromoted: item.promoted ?? false,
  };
}

/** "//host" and "/\host" would point to another host. */
function isOwnPath(path: string): boolean {
  return /^\/(?![/\\])[^\s\\]*$/.test(path);
}

const MAX_UNIX_S = 4_102_444_800;

/** Unix seconds before the year 2100; anything else counts as unknown. */
function unixSeconds(value: number | null | undefined): number | null {
  const isMoment = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_UNIX_S;
  return isMoment ? Number(value) : null;
}

const MAX_ADDRESS_LENGTH = 1_000;

/** A web address without credentials; anything else counts as no picture. */
export function webAddress(text: string | null | undefined): string | null {
  if (text === null || text === undefined || text.length > MAX_ADDRESS_LENGTH || !URL.canParse(text))
    return null;
  const { protocol, username, password } = new URL(text);
  const isWeb = protocol === "https:" || protocol === "http:";
  return isWeb && username === "" && password === "" ? text : null;
}

function hexColour(text: string | null | undefined): string | null {
  return text !== null && text !== undefined && /^#[0-9a-f]{6}$/i.test(text) ? text : null;
}
