import { useQuery } from "@tanstack/react-query";
import type { Recit } from "#contract/achat.ts";
import { queries } from "../../api/queries.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../ui/format.ts";
import { UnreadPart } from "../../ui/loading/unread-part.tsx";
import "./time-line.css";

/** The steps of an attempt with millisecond timestamps, and the reason if it failed. */
export function TimeLineView({ recit: { etapes, raison, conseil } }: { readonly recit: Recit }) {
  return (
    <div className="time-line stack" data-gap="12">
      {raison === null ? null : (
        <p className="time-line__reason">
          {raison}
          {conseil === null ? null : <span>{conseil}</span>}
        </p>
      )}
      <ol>
        {timeLineOf(etapes).map(({ name, atMs, since }, index) => (
          <li key={index}>
            <span>{name}</span>
            <span className="time-line__since">{since ?? ""}</span>
            <time dateTime={new Date(atMs).toISOString()}>{clockText(atMs)}</time>
          </li>
        ))}
      </ol>
    </div>
  );
}

interface TimeLineStep {
  readonly name: string;
  readonly atMs: number;
  /** Time since the previous step: "+ 320 ms"; null for the first. */
  readonly since: string | null;
}

export function timeLineOf(etapes: Recit["etapes"]): readonly TimeLineStep[] {
  return etapes.map(({ nom, a }, index) => {
    const before = etapes[index - 1];
    return { name: nom, atMs: a, since: before === undefined ? null : `+ ${durationText(a - before.a)}` };
  });
}

/** "320 ms", "1,25 s", "3 min 20 s", "2 h 5 min", "4 j". */
export function durationText(durationMs: number): string {
  if (durationMs < SECOND_MS) return `${Math.max(0, Math.round(durationMs))}\u00A0ms`;
  if (durationMs < MINUTE_MS) {
    const seconds = (durationMs / SECOND_MS).toLocaleString("fr-FR", { maximumFractionDigits: 2 });
    return `${seconds}\u00A0s`;
  }
  if (durationMs < HOUR_MS)
    return parts(durationMs, { unit: "min", size: MINUTE_MS }, { unit: "s", size: SECOND_MS });
  if (durationMs < DAY_MS)
    return parts(durationMs, { unit: "h", size: HOUR_MS }, { unit: "min", size: MINUTE_MS });
  return `${Math.floor(durationMs / DAY_MS)}\u00A0j`;
}

interface Unit {
  readonly unit: string;
  readonly size: number;
}

function parts(durationMs: number, whole: Unit, rest: Unit): string {
  const first = Math.floor(durationMs / whole.size);
  const second = Math.floor((durationMs % whole.size) / rest.size);
  const text = `${first}\u00A0${whole.unit}`;
  return second === 0 ? text : `${text} ${second}\u00A0${rest.unit}`;
}

const clockTime = new Intl.DateTimeFormat("fr-FR", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

/** "14:05:09,120", in the browser's time zone. */
export function clockText(atMs: number): string {
  return clockTime.format(atMs);
}

/** The history of one purchase, fetched on demand. */
export function Why({ purchaseId }: { readonly purchaseId: string }) {
  const story = useQuery(queries.purchaseStory(purchaseId));
  if (story.data !== undefined) return <TimeLineView recit={story.data} />;
  return (
    <UnreadPart query={story} height={120} label="Chargement du récit">
      Le récit de cet achat n'a pas pu être lu.
    </UnreadPart>
  );
}
