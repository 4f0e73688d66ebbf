import { type ReactNode, useState } from 'react'

interface LazyDetailsProps {
  readonly summary: ReactNode
  /** The name of the summary, if its text does not say enough. */
  readonly label?: string
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** Details that are rendered while they are open: in a list of hundreds of rows, most stay closed. */
export function LazyDetails({ summary, label, className, children }: LazyDetailsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={className} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={label}>{summary}</summary>
      {isOpen && children}
    </details>
  )
}
