/** The page's calls on damaged data: the loss of opening its intact part, and opening it. */
import { backupPages } from '../server/operation/replicas/page-source.ts'
import { type SalvagePlan, salvage } from '../server/platform/store/backups/salvage.ts'
import { schema } from '../server/platform/store/schema.ts'
import type { DesktopCalls, SalvagePreview } from './bridge.ts'
import { outcomeOf } from './outcome.ts'
import type { Parts } from './parts.ts'
import { toPlain } from './plain.ts'
import { t } from './strings.ts'

type Name = Extract<keyof DesktopCalls, `salvage.${string}`>
export type Salvages = {
  readonly [N in Name]: (...args: Parameters<DesktopCalls[N]>) => Promise<ReturnType<DesktopCalls[N]>>
}

export type SalvagesDeps = Pick<Parts, 'dataDir' | 'server' | 'log'>

export function setupSalvages({ dataDir, server, log }: SalvagesDeps): Salvages {
  const run = (confirm: (plan: SalvagePlan) => boolean) =>
    salvage({
      directory: dataDir,
      schema,
      sources: [backupPages(dataDir)],
      now: () => new Date(),
      confirm: async (plan) => confirm(plan),
    })

  return {
    'salvage.preview': () =>
      outcomeOf(log, 'salvage.preview', async () => {
        let preview: SalvagePreview | undefined
        await run((plan) => {
          preview = toPlain(plan)
          return false
        })
        if (!preview) throw new Error(t.nothingToOpen)
        return preview
      }),
    'salvage.run': (from) =>
      outcomeOf(log, 'salvage.run', () =>
        server.whileStopped(async () => {
          const result = await run((plan) => plan.from === from)
          if (!result) throw new Error(t.dataChanged)
          const { keptTransactions: kept, lostTransactions: lost, damaged } = result.plan
          log.warn({ from, kept, lost, damaged, keptIn: result.keptIn }, 'damaged data opened')
          return result.keptIn
        }),
      ),
  }
}
