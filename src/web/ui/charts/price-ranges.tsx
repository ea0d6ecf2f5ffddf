/** Table of asking prices, with each row's range also drawn as a strip on a common scale. */
import type { ReactNode } from "react";
import type { FourchettePrix } from "#contract/filtres/rejeu.ts";
import { formatCounted } from "../format-panel.ts";
import { formatPrice, formatPriceRange, scaleOf } from "./price-text.ts";
import "./price-ranges.css";

export interface PriceRange {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** Null: too few listings. */
export function rangeOf({
  bas,
  median,
  haut,
}: Pick<FourchettePrix, "bas" | "median" | "haut">): PriceRange | null {
  if (bas === null || median === null || haut === null) return null;
  return { low: Number(bas.amount), median: Number(median.amount), high: Number(haut.amount) };
}

interface PriceRangeRow {
  readonly key: string | number;
  /** The row's name, or a link with it. */
  readonly label: ReactNode;
  readonly count: number;
  /** Quartiles in EUR; null: too few listings. */
  readonly range: PriceRange | null;
}

interface PriceRangesProps {
  /** "Prix par état". */
  readonly caption: string;
  /** The title of the rows: "État". */
  readonly rowTitle: string;
  readonly rows: readonly PriceRangeRow[];
}

/** The bar is the interquartile range, its mark the median. */
export function PriceRanges({ caption, rowTitle, rows }: PriceRangesProps) {
  const most = scaleOf(rows.flatMap(({ range }) => (range === null ? [] : [range.high])));
  return (
    <table className="price-ranges">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{rowTitle}</th>
          <td className="price-ranges__scale hint" aria-hidden="true">
            <span>0</span>
            <span>{formatPrice(most)}</span>
          </td>
          <th scope="col">Prix demandés</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, label, count, range }) => (
          <tr key={key}>
            <th scope="row">{label}</th>
            <td aria-hidden="true">
              <RangeStrip range={range} most={most} />
            </td>
            <td className="price-ranges__words">
              <strong>{range === null ? "—" : formatPriceRange(range)}</strong>
              <span className="hint">
                {range === null ? "" : `médiane ${formatPrice(range.median)}, `}
                {formatCounted(count, "annonce", "annonces").replaceAll(" ", "\u00A0")}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface RangeStripProps {
  readonly range: PriceRange | null;
  /** End of the scale in EUR; it begins at 0. */
  readonly most: number;
  /** A price to mark, in EUR. */
  readonly price?: number;
}

const HEIGHT = 16;

/** Hidden from assistive technology: the caller must show the same as text. */
export function RangeStrip({ range, most, price }: RangeStripProps) {
  const at = (euros: number): number => Math.round((Math.min(euros, most) / most) * 1_000) / 10;
  const middle = HEIGHT / 2;
  return (
    <svg className="range-strip" width="100%" height={HEIGHT} aria-hidden="true">
      <line x1="0" x2="100%" y1={middle} y2={middle} />
      {range === null ? null : (
        <>
          <rect
            className="range-strip__range"
            x={`${at(range.low)}%`}
            y={middle - 4}
            width={`${Math.max(1, at(range.high) - at(range.low))}%`}
            height={8}
            rx={2}
          />
          <rect
            className="range-strip__median"
            x={`${at(range.median)}%`}
            y={middle - 7}
            width={2}
            height={14}
          />
        </>
      )}
      {price === undefined ? null : (
        <circle className="range-strip__price" cx={`${at(price)}%`} cy={middle} r={4.5} />
      )}
    </svg>
  );
}
