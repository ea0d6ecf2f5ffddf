import { useQuery } from "@tanstack/react-query";
import type { Filtre } from "#contract/filtre.ts";
import { useLiveFeed } from "../api/live-context.ts";
import type { Connection } from "../api/live-feed.ts";
import { useObservable } from "../api/observable.ts";
import { queries } from "../api/queries.ts";
import { formatResumption } from "../ui/format.ts";
import { useNowMs } from "../ui/now.ts";
import "./connection-state.css";

const ALL_PAUSED: Connection = { kind: "paused", reason: "tous vos filtres sont en pause" };

/** Whether listings arrive at this moment, and why not; always in sight. */
export function ConnectionState() {
  const socket = useObservable(useLiveFeed().connection);
  const { data: areAllPaused } = useQuery({ ...queries.filters, select: areAllInactive });
  const connection = socket.kind === "live" && areAllPaused === true ? ALL_PAUSED : socket;
  const text = connectionText(connection, useNowMs());
  return (
    <p className="connection-state" data-kind={connection.kind} role="status" title={text}>
      <span className="connection-state__dot" aria-hidden="true" />
      <span className="connection-state__text">{text}</span>
    </p>
  );
}

function areAllInactive(filtres: readonly Filtre[]): boolean {
  return filtres.length > 0 && filtres.every(({ active }) => !active);
}

function connectionText(connection: Connection, nowMs: number): string {
  switch (connection.kind) {
    case "connecting":
      return "Connexion…";
    case "live":
      return "En direct";
    case "reconnecting":
      return "Reconnexion…";
    case "paused":
      return `Flux en pause : ${connection.reason}${formatResumption(connection.untilMs ?? null, nowMs)}`;
    default:
      return connection satisfies never;
  }
}
