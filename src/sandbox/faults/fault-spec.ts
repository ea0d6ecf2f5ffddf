import { z } from "zod";
import { ROUTE_NAMES, type RouteName } from "../http/routes.ts";
import type { FaultKind } from "./injection.ts";

/** The parameters of an armed fault. */
export interface FaultSpec {
  readonly kind: string;
  /** Null means the default routes of the kind. */
  readonly route: RouteName | null;
  /** The probability of striking a request, 0 to 1. */
  readonly rate: number;
  /** Strikes before it disarms itself; null means until cleared. */
  readonly count: number | null;
  readonly delayMs: number | null;
  readonly retryAfter: string | null;
  /** Null means the first variant of the kind. */
  readonly variant: string | null;
}

const MAX_DELAY_MS = 3_600_000;

const specBody = z.object({
  kind: z.string(),
  route: z.enum(ROUTE_NAMES).nullish(),
  rate: z.number().min(0).max(1).nullish(),
  count: z.number().int().min(1).max(1_000_000).nullish(),
  delay_ms: z.number().min(0).max(MAX_DELAY_MS).nullish(),
  retry_after: z.union([z.number(), z.string().regex(/^[\x20-\x7e]{0,100}$/)]).nullish(),
  variant: z.string().nullish(),
});

/** An invalid fault specification; its message says why, in English. */
export class InvalidFaultSpec extends Error {
  override readonly name = "InvalidFaultSpec";
}

/** @throws InvalidFaultSpec */
export function readFaultSpec(body: unknown, kinds: ReadonlyMap<string, FaultKind>): FaultSpec {
  const parsed = specBody.safeParse(body);
  if (!parsed.success) throw new InvalidFaultSpec(describeIssue(parsed.error));
  const { kind: name, route, variant } = parsed.data;
  const kind = kinds.get(name);
  if (kind === undefined) throw new InvalidFaultSpec(`kind must be one of ${[...kinds.keys()].join(", ")}`);
  const routes = kind.onlyRoutes ?? ROUTE_NAMES;
  if (route !== null && route !== undefined && !routes.includes(route)) {
    throw new InvalidFaultSpec(`route of ${name} must be one of ${routes.join(", ")}`);
  }
  const variants = [...kind.variants, "any"];
  if (variant !== null && variant !== undefined && !variants.includes(variant)) {
    throw new InvalidFaultSpec(`variant of ${name} must be one of ${variants.join(", ")}`);
  }
  return {
    kind: name,
    route: route ?? null,
    rate: parsed.data.rate ?? 1,
    count: parsed.data.count ?? null,
    delayMs: parsed.data.delay_ms ?? null,
    retryAfter: parsed.data.retry_after === null ? null : (parsed.data.retry_after?.toString() ?? null),
    variant: variant ?? null,
  };
}

/** Describes the first invalid field in one line. */
export function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "the body is not what is expected";
  return issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`;
}
