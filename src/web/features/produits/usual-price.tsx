import type { Argent } from "#contract/envelope.ts";
import type { PrixHabituel } from "#contract/produit.ts";
import type { StreamItem } from "../../api/live/stream-items.ts";
import { formatPriceRange } from "../../ui/charts/price-text.ts";
import { formatCount } from "../../ui/format.ts";
import { plural } from "../../ui/format-panel.ts";
import type { Layout } from "./rows.ts";

/** In px: leaves room for the whole text of the range on the narrowest card that shows both on one line. */
const WIDTH = 18;
const HEIGHT = 8;

interface UsualPriceProps {
  readonly item: StreamItem;
  readonly layout: Layout;
}

/** The usual price of similar articles: a strip with the usual range and this price, and the same as text. */
export function UsualPrice({ item: { total_item_price: price, prix }, layout }: UsualPriceProps) {
  const words = prix === null ? null : usualPriceWords(price, prix);
  if (prix === null || words === null) return null;
  const strip = usualPriceStrip(price, prix, WIDTH);
  return (
    <div
      className="produit-card__usual dim"
      title={`${usualPriceText(words)}\nPrix demandés, hors livraison`}
    >
      <svg width={WIDTH} height={HEIGHT} aria-hidden="true" data-below={words.isBelow || undefined}>
        <rect className="usual-strip" y={3} width={WIDTH} height={2} rx={1} />
        <rect
          className="usual-range"
          x={strip.from}
          y={2}
          width={Math.max(2, strip.to - strip.from)}
          height={4}
          rx={2}
        />
        <circle className="usual-now" cx={Math.min(WIDTH - 3, Math.max(3, strip.price))} cy={4} r={3} />
      </svg>
      {layout === "list" ? (
        <span className="clip">{usualPriceText(words)}</span>
      ) : (
        <>
          <span className="clip">{words.range}</span>{" "}
          {words.place.startsWith("(") ? null : <span className="usual-dot">· </span>}
          <span className="clip">{words.place}</span>
        </>
      )}
    </div>
  );
}

/** The smallest number of similar listings for which the percentile of a price is shown. */
const FEW_LISTINGS = 20;

export interface UsualPriceWords {
  /** "habituellement 45–60 €". */
  readonly range: string;
  /** Where the price ranks: "moins cher que 88 % de 312". */
  readonly place: string;
  readonly isBelow: boolean;
}

/** Null if an amount is not a number. */
export function usualPriceWords(price: Argent, usual: PrixHabituel): UsualPriceWords | null {
  const [amount, low, high] = [price, usual.bas, usual.haut].map((money) => Number(money.amount));
  if (amount === undefined || low === undefined || high === undefined) return null;
  if (![amount, low, high].every(Number.isFinite)) return null;
  // The word joiner keeps both prices on one line.
  const range = `habituellement ${formatPriceRange({ low, high }).replace("–", "–\u2060")}`;
  return { range, place: placeText(usual, amount > high), isBelow: amount < low };
}

function placeText({ rang: rank, n }: PrixHabituel, isAbove: boolean): string {
  if (rank === null) return "(estimation)";
  if (n < FEW_LISTINGS)
    return `${isAbove ? "au-dessus · " : ""}peu d'${plural(n, "annonce", "annonces")} (${n})`;
  return isAbove ? "au-dessus du prix habituel" : `moins cher que ${rank}\u00A0% de ${formatCount(n)}`;
}

/** "habituellement 45–60 € · moins cher que 88 % de 312", "habituellement 45–60 € (estimation)". */
export function usualPriceText({ range, place }: UsualPriceWords): string {
  return `${range}${place.startsWith("(") ? " " : " · "}${place}`;
}

/** Positions on a strip of `width`, which spans from zero to 1.15 times the higher of price and range. */
export function usualPriceStrip(price: Argent, usual: PrixHabituel, width: number) {
  const [amount, low, high] = [price, usual.bas, usual.haut].map((money) => Number(money.amount) || 0);
  const most = Math.max(amount ?? 0, high ?? 0, 1) * 1.15;
  const at = (value = 0): number => Math.round((value / most) * width * 10) / 10;
  return { from: at(low), to: at(high), price: at(amount) };
}
