/**
 * Entry point of the user interface.
 *
 * `navigation.ts` has the entries and their screens, `shell/` the frame, `screens/` the screens, none of which imports another, `parts/`
 * what screens share, `ui/` components and design tokens, `api/` typed calls, sessions and the live stream, `strings/` all texts.
 */
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isTransient } from './api/call-errors.ts'
import { App } from './app.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import './ui/tokens.css'
import './ui/base.css'

// Notify in the same frame as the click, so that a switch does not flicker.
notifyManager.setScheduler(queueMicrotask)

const client = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, retry: (failures, error) => failures < 2 && isTransient(error) },
    // Mutations fail at once when the server is down; a delayed change would surprise.
    mutations: { networkMode: 'always' },
  },
})

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary>
        <QueryClientProvider client={client}>
          <App />
        </QueryClientProvider>
      </ErrorBoundary>
    </StrictMode>,
  )
}
