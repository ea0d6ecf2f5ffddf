import type { ReactNode } from "react";
import "./tag-badge.css";

export type BadgeTone = "neutral" | "accent" | "acquire" | "thunder" | "good" | "waiting" | "bad";

interface TagBadgeProps {
  readonly tone: BadgeTone;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
}

/** A label; its colour only repeats what its text says. */
export function TagBadge({ tone, icon, children }: TagBadgeProps) {
  return (
    <span className="tag-badge" data-tone={tone}>
      {icon}
      {children}
    </span>
  );
}

interface TipProps {
  /** Visual only: must repeat the control's label or description, which assistive technology reads. */
  readonly text: string;
  /** The edge of the control to align with. */
  readonly align?: "center" | "end";
  readonly children: ReactNode;
}

/** Tooltip on hover or focus. CSS only, so that hundreds of them cost nothing. */
export function Tip({ text, align = "center", children }: TipProps) {
  return (
    <span className="tip" data-tip={text} data-align={align}>
      {children}
    </span>
  );
}
