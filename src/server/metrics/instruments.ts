/** The metrics of a running node, by their Prometheus names. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

export type Instruments = ReturnType<typeof createInstruments>;

/** From a tenth of a millisecond to half a minute. */
const SECONDS = [
  0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 15, 30,
];

export function createInstruments() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name: `synapse_${name}`, help, labelNames, registers });
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `synapse_${name}`, help, labelNames, registers });
  const seconds = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Histogram({ name: `synapse_${name}_seconds`, help, labelNames, buckets: SECONDS, registers });
  return {
    registry,
    listings: counter("listings_total", "Listings recorded: new, edited or seen again"),
    matches: counter("matches_total", "Matches of listings with people's filters"),
    seenToMatched: seconds("seen_to_matched", "From the marketplace's answer to the match"),
    eventSeconds: seconds("event", "From a change on any node until this node has dealt with it", ["event"]),
    wishToIntent: seconds("wish_to_intent", "From a wish or click to its durable intent", ["lane"]),
    wishToPaying: seconds(
      "wish_to_paying",
      "From a wish or click to the commit that lets the payment leave",
      ["lane"],
    ),
    wishToOutcome: seconds("wish_to_outcome", "From a wish or click to its outcome", ["lane", "state"]),
    purchaseMoves: counter("purchase_moves_total", "Purchases that entered a state", ["state"]),
    openPurchases: gauge("open_purchases", "Purchases with something left to do, by state", ["state"]),
    storeSeconds: seconds("store", "Commits of purchases and answers of the store", ["work"]),
    marketRequests: counter("market_requests_total", "Calls to the marketplace", ["call", "outcome"]),
    marketSeconds: seconds("market", "How long the marketplace took to answer", ["call"]),
    feedPaused: gauge("feed_paused", "1 while the market is not read, by reason", ["reason"]),
    buyingStopped: gauge("buying_stopped", "1 while everybody's purchases are stopped, by whom", ["by"]),
    sockets: gauge("sockets", "Open sockets of this node"),
    queued: gauge("queued", "What waits between the nodes", ["queue"]),
    nodes: gauge("nodes", "Living nodes"),
  };
}
