/** The paths of `/dev`. Their code is loaded for the first request. */
import type { Answer } from './control.ts'
import type { ControlledNetwork, Routes } from './routes.ts'

export function answerDev<Snapshot>(network: ControlledNetwork<Snapshot>): Answer {
  let routes: Promise<Routes> | undefined
  return async (req, res) => {
    if (!/^\/dev(?:[/?]|$)/.test(req.url ?? '')) return false
    routes ??= import('./routes.ts').then(({ createRoutes }) => createRoutes(network))
    await (await routes)(req, res)
    return true
  }
}
