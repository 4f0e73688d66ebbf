import { Component, type ReactNode } from 'react'
import { t } from './strings/en.ts'
import { Button } from './ui/button.tsx'
import { Notice } from './ui/states.tsx'

/** Error boundary of the page. A class, because React offers no hook for it. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <Notice action={<Button onClick={() => location.reload()}>{t.app.reload}</Button>} variant="danger">
        {t.app.crashed}
      </Notice>
    )
  }
}
