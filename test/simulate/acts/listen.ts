/** Streams of notifications, which sessions open and end with. */
import { openStream } from '../../../server/platform/network/websocket.ts'
import { currentProcess, outside } from '../world/wire.ts'
import type { Act } from './act.ts'
import { homes } from './choose.ts'

export const listen: Act = {
  weight: 1,
  async run(world, random) {
    const person = homes(world, random)
    const signIn = person && random.pick(person.signIns)
    if (!signIn || signIn.isListening) return undefined
    const { machine, name } = person
    signIn.isListening = true
    currentProcess.run(outside, () =>
      openStream(`${machine.url}/xrpc/app.example.notification.subscribe`, {
        allowPrivate: true,
        headers: { authorization: `Bearer ${signIn.access.jwt}` },
        onOpen: () => {},
        onMessage: () => {},
        onEnd: () => {
          signIn.isListening = false
        },
      }),
    )
    await world.time.settle()
    return `${machine.name}: session ${signIn.id} of ${name} ${signIn.isListening ? 'listens' : 'is refused'}`
  },
}
