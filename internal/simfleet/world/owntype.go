package world

// OwnType is the type of the fleet's objects that replace others; clients may not use it.
const OwnType = "DemoFleet"
