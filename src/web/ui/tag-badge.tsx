import type { ReactNode } from "react";
import "./tag-badge.css";

export type BadgeTone = "neutral" | "accent" | "acquire" | "thunder" | "good" | "waiting" | "bad";

interface TagBadgeProps {
  readonly tone: BadgeTone;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
}

/** A word that classifies: its colour only repeats what it says. */
export function TagBadge({ tone, icon, children }: TagBadgeProps) {
  return (
    <span className="tag-badge" data-tone={tone}>
      {icon}
      {children}
    </span>
  );
}
