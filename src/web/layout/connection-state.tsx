import { useLiveFeed } from "../api/live-context.ts";
import type { Connection } from "../api/live-feed.ts";
import { useObservable } from "../api/observable.ts";
import "./connection-state.css";

/** Whether listings arrive at this moment, and why not; always in sight. */
export function ConnectionState() {
  const connection = useObservable(useLiveFeed().connection);
  const text = connectionText(connection);
  return (
    <p className="connection-state" data-kind={connection.kind} role="status" title={text}>
      <span className="connection-state__dot" aria-hidden="true" />
      <span className="connection-state__text">{text}</span>
    </p>
  );
}

function connectionText(connection: Connection): string {
  if (connection.kind === "paused") return `Flux en pause : ${connection.reason}`;
  return connection.kind === "live" ? "En direct" : "Reconnexion…";
}
