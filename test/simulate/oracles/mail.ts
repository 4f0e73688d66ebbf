/** Accounts have the email address that was set last, confirmed or not. */
import { Violation } from '../acts/act.ts'
import type { World } from '../world/world.ts'

export async function checkMail(world: World): Promise<void> {
  for (const person of world.accounts) {
    const { machine, did, name, mailboxes } = person
    const { status, body } = await world.call(machine, 'com.atproto.admin.getAccountInfo', {
      query: { did },
      isAdmin: true,
    })
    const isConfirmed = body?.emailConfirmedAt !== undefined
    const found = mailboxes.find((one) => one.address === body?.email && one.isConfirmed === isConfirmed)
    if (!found)
      throw new Violation(
        `${name} → ${status}, address ${body?.email} is ${isConfirmed ? '' : 'not '}confirmed, not ${JSON.stringify(mailboxes)}`,
      )
    person.mailboxes = [found]
  }
}
