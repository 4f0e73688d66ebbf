/** Events that arrived in order, each once, describe the repositories as they are. */
import { Violation } from '../acts/act.ts'
import type { World } from '../world/world.ts'

export async function checkEventStreams(world: World): Promise<void> {
  for (const { did, name, machine, records } of world.people) {
    const consumer = world.consumerOf(machine)
    const truth = new Map([...records].map(([path, { cid }]) => [path, cid]))
    // What an inactive account had before its first events comes with its activation.
    if (consumer.accountOf(did).status !== 'active') continue
    const contents = consumer.contentsOf(did)
    if (contents) compare(`events of ${machine.name}: ${name}`, contents, truth)
    else consumer.read(did, truth)
  }
  for (const machine of world.machines) world.consumerOf(machine).isRestored = false
}

function compare(
  whose: string,
  found: ReadonlyMap<string, string>,
  truth: ReadonlyMap<string, string>,
): void {
  for (const [path, cid] of truth) {
    if (found.get(path) !== cid) throw new Violation(`${whose}: ${path} is missing or different`)
  }
  for (const path of found.keys()) {
    if (!truth.has(path)) throw new Violation(`${whose}: ${path} does not exist`)
  }
}
