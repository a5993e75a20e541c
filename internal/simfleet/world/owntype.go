package world

// OwnType is the type of the object that answers in the place of others; no client may name it.
const OwnType = "DemoFleet"
