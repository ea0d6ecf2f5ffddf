CREATE TABLE "node_roles" (
	"role" text PRIMARY KEY NOT NULL,
	"node_id" text NOT NULL,
	"until_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "nodes" (
	"id" text PRIMARY KEY NOT NULL,
	"alive_until_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "nodes_by_end" ON "nodes" USING btree ("alive_until_ms");