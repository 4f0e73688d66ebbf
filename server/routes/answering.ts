/** What the calls of methods and of OAuth's endpoints share on this server. */
import { type Answering, createAnswering } from '../platform/xrpc/answer.ts'
import type { Services } from '../services.ts'
import { resourceError } from './resource-errors.ts'

export function createAnsweringFor({ config, store, log, visitors, operation }: Services): Answering {
  return createAnswering({
    ...config,
    onCall: visitors.noteCaller,
    observing: operation.inspector.observing,
    watchReads: () => {
      const { epoch } = store
      return () => store.settled(epoch)
    },
    onFailure: reportFailure(log),
    translate: resourceError,
  })
}

export function reportFailure(log: Services['log']): (error: unknown, name: string) => void {
  return (error, name) => log.error({ err: error, name }, 'method failed')
}
