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

interface TipProps {
  /** Repeats for the eye what the control's own label or description already says to assistive technology. */
  readonly text: string;
  /** The edge of the control that the words are aligned with. */
  readonly align?: "center" | "end";
  readonly children: ReactNode;
}

/** A few words under a control while it is pointed at or focused: pure style, so that hundreds cost nothing. */
export function Tip({ text, align = "center", children }: TipProps) {
  return (
    <span className="tip" data-tip={text} data-align={align}>
      {children}
    </span>
  );
}
