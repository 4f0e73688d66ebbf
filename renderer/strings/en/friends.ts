/** Texts of friends on the same network. */
export const friends = {
  title: 'Friends on this network',
  lead: 'Computers on your network that run this app, too. Connect two of them, and you follow each other: no domain and no other server is needed.',
  none: 'No other computer yet',
  noneText: 'Choose Local network on the other computer, too, and open this screen there.',
  connect: 'Connect',
  connectWith: (name: string) => `Connect with ${name}`,
  followed: 'Connected',
  asking: (name: string) => `Connect with ${name}`,
  asked: (name: string) => `${name} wants to connect`,
  compare: (handle: string) =>
    `Both screens show six digits. If they are the same, no other computer is in between, and you follow ${handle} and the server of this account.`,
  code: 'Code',
  same: 'They are the same',
  different: 'They differ',
  states: {
    compare: 'Compare the digits with the other screen.',
    confirmed: 'Waiting for the other screen.',
    agreed: 'Both agree. Following…',
    declined: 'This was declined on one of the screens. Nothing was changed.',
  },
  done: (handle: string) => `You follow ${handle}`,
}
