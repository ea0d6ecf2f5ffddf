import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Access } from "#auth/access.ts";
import type { RequestKind } from "#auth/origin-guard.ts";
import { sessionMark, type Visitor } from "#auth/sessions.ts";
import type { RateClass } from "./rate-limits.ts";

/** Who may use a route and how: a route without a rule is refused at start. */
export interface RouteRule {
  readonly access: Access;
  /** any: it holds nothing of a person, whoever asks may have it. */
  readonly origin: RequestKind | "any";
  /** Null: only the flood limit of an address counts. */
  readonly rate: RateClass | null;
  /** What one person asks of it is made one after the other (plugins/turns.ts), like the whole lists. */
  readonly isInTurn?: true;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The person behind the session, read for this very request; null without a session. */
    visitor: Visitor | null;
  }
  interface FastifyContextConfig {
    rule?: RouteRule;
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** What every audit entry of a call says beside its own facts: by which session and in which request. */
export function auditFacts({ id, visitor }: Pick<FastifyRequest, "id" | "visitor">): {
  readonly request: string;
  readonly session: string | null;
} {
  return { request: id, session: visitor === null ? null : sessionMark(visitor.sessionId) };
}

/** The person on whose behalf a route acts; its rule has let nobody else through. */
export function visitorOf(request: Pick<FastifyRequest, "visitor">): Visitor {
  if (request.visitor === null) throw new Error("a route that needs a session was reached without one");
  return request.visitor;
}
