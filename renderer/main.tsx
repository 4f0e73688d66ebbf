/** Where the user interface starts. */
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isPassing } from './api/errors.ts'
import { App } from './app.tsx'
import { Crashed } from './crashed.tsx'
import './ui/tokens.css'
import './ui/base.css'

// Within the frame of the click, so that a switch does not spring back before it moves.
notifyManager.setScheduler(queueMicrotask)

const client = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, retry: (failures, error) => failures < 2 && isPassing(error) },
    // A change is not put off until the server is back: whoever asked for it would not expect it then.
    mutations: { networkMode: 'always' },
  },
})

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Crashed>
        <QueryClientProvider client={client}>
          <App />
        </QueryClientProvider>
      </Crashed>
    </StrictMode>,
  )
}
