/** Bar chart of counts per day, each with an optional part, and a hidden table for screen readers. */
import { useId, useState } from "react";
import { formatCount } from "../format.ts";
import { formatCounted } from "../format-panel.ts";
import { formatDay, formatShortDay } from "./day-text.ts";
import "./day-bars.css";

export interface DayBar {
  /** "2026-11-03". */
  readonly day: string;
  readonly count: number;
  /** How many of `count` are drawn as the filled lower part of the bar. */
  readonly part?: number;
  /** A value of the day that is not drawn: "52,00 €". */
  readonly note?: string;
}

interface Counted {
  /** "article", "articles". */
  readonly one: string;
  readonly many: string;
}

interface DayBarsProps {
  /** "Articles par jour". */
  readonly caption: string;
  /** Oldest first. */
  readonly days: readonly DayBar[];
  readonly counted: Counted;
  /** What `part` counts; absent: the bars have no parts. */
  readonly parts?: Counted;
  /** What `note` is: "prix médian". */
  readonly noted?: string;
}

const CHART_HEIGHT = 96;
/** Minimum height in px of a count above 0, so that it stays visible. */
const LEAST_BAR = 3;
/** Space on either side of a bar, as a share of a day's width. */
const MARGIN = 0.14;

export function DayBars(props: DayBarsProps) {
  const { caption, days, counted, parts } = props;
  const [pointed, setPointed] = useState<string | null>(null);
  const captionId = useId();
  const read = days.find(({ day }) => day === pointed) ?? highestOf(days);
  return (
    <figure className="day-bars" aria-labelledby={captionId}>
      <figcaption id={captionId}>{caption}</figcaption>
      {/* The table below has the same data for assistive technology. */}
      <p className="day-bars__read aside" aria-hidden="true">
        {read === undefined ? "Rien sur cette période." : dayText(read, props)}
      </p>
      <Bars days={days} read={read} onPoint={setPointed} />
      <div className="day-bars__axis hint line between" aria-hidden="true">
        {axisDays(days).map(({ day }) => (
          <span key={day}>{formatShortDay(day)}</span>
        ))}
      </div>
      {parts === undefined ? null : (
        <ul className="day-bars__legend aside row" aria-hidden="true">
          <li className="line" data-key="count">
            {counted.many}
          </li>
          <li className="line" data-key="part">
            {parts.many}
          </li>
        </ul>
      )}
      <DayTable {...props} />
    </figure>
  );
}

interface BarsProps {
  readonly days: readonly DayBar[];
  readonly read: DayBar | undefined;
  readonly onPoint: (day: string | null) => void;
}

function Bars({ days, read, onPoint }: BarsProps) {
  const most = Math.max(1, ...days.map(({ count }) => count));
  const step = 100 / Math.max(1, days.length);
  const heightOf = (count = 0): number =>
    count === 0 ? 0 : Math.max(LEAST_BAR, Math.round((count / most) * (CHART_HEIGHT - 1)));
  const bar = (index: number, height: number) => ({
    x: `${(index + MARGIN) * step}%`,
    y: CHART_HEIGHT - height,
    width: `${(1 - 2 * MARGIN) * step}%`,
    height,
  });
  return (
    <svg
      className="day-bars__plot"
      width="100%"
      height={CHART_HEIGHT + 1}
      aria-hidden="true"
      onPointerLeave={() => onPoint(null)}
    >
      {days.map((each, index) => (
        <g
          key={each.day}
          data-read={each === read || undefined}
          onPointerEnter={() => onPoint(each.day)}
          onPointerDown={() => onPoint(each.day)}
        >
          <rect
            className="day-bars__ground"
            x={`${index * step}%`}
            width={`${step}%`}
            height={CHART_HEIGHT}
          />
          <rect className="day-bars__count" {...bar(index, heightOf(each.count))} />
          <rect className="day-bars__part" {...bar(index, heightOf(each.part))} />
        </g>
      ))}
      <line x1="0" x2="100%" y1={CHART_HEIGHT + 0.5} y2={CHART_HEIGHT + 0.5} />
    </svg>
  );
}

function DayTable({ caption, days, counted, parts, noted }: DayBarsProps) {
  return (
    <div className="visually-hidden">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Jour</th>
            <th scope="col">{counted.many}</th>
            {parts === undefined ? null : <th scope="col">{parts.many}</th>}
            {noted === undefined ? null : <th scope="col">{noted}</th>}
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, count, part, note }) => (
            <tr key={day}>
              <th scope="row">{formatDay(day)}</th>
              <td>{formatCount(count)}</td>
              {parts === undefined ? null : <td>{formatCount(part ?? 0)}</td>}
              {noted === undefined ? null : <td>{note ?? "inconnu"}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** "18 novembre : 12 articles, 3 achats". */
function dayText({ day, count, part, note }: DayBar, { counted, parts, noted }: DayBarsProps) {
  const said = [
    formatCounted(count, counted.one, counted.many),
    ...(parts === undefined ? [] : [formatCounted(part ?? 0, parts.one, parts.many)]),
    ...(noted === undefined || note === undefined ? [] : [`${noted} ${note}`]),
  ];
  return `${formatDay(day)} : ${said.join(", ")}`;
}

/** The day described while none is hovered; undefined if all counts are 0. */
function highestOf(days: readonly DayBar[]): DayBar | undefined {
  const highest = days.toSorted((one, other) => other.count - one.count)[0];
  return highest === undefined || highest.count === 0 ? undefined : highest;
}

/** The first, the middle and the last one. */
function axisDays(days: readonly DayBar[]): readonly DayBar[] {
  const places = new Set([0, Math.floor((days.length - 1) / 2), days.length - 1]);
  return days.filter((_, index) => places.has(index));
}
