import type { Recit } from "#contract/recit.ts";
import { clockText, timeLineOf } from "./time-line.ts";
import "./time-line-view.css";

/** What happened when, to the millisecond, and why it came to nothing where it did. */
export function TimeLineView({ recit: { etapes, raison, conseil } }: { readonly recit: Recit }) {
  return (
    <div className="time-line">
      {raison === null ? null : (
        <p className="time-line__reason">
          {raison}
          {conseil === null ? null : <span>{conseil}</span>}
        </p>
      )}
      <ol>
        {timeLineOf(etapes).map(({ name, atMs, since }, index) => (
          <li key={index}>
            <span className="time-line__name">{name}</span>
            <span className="time-line__since">{since ?? ""}</span>
            <time dateTime={new Date(atMs).toISOString()}>{clockText(atMs)}</time>
          </li>
        ))}
      </ol>
    </div>
  );
}
