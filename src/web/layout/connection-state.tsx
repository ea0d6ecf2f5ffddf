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
  switch (connection.kind) {
    case "connecting":
      return "Connexion…";
    case "live":
      return "En direct";
    case "reconnecting":
      return "Reconnexion…";
    case "paused":
      return `Flux en pause : ${connection.reason}`;
    default:
      return connection satisfies never;
  }
}
