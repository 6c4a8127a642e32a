//! Invented people, organisations and places.

pub(super) const GIVEN: [&str; 24] = [
    "Amara", "Thabo", "Lerato", "Johan", "Naledi", "Sipho", "Maria", "David", "Zanele", "Peter",
    "Aisha", "Daniel", "Grace", "Kabelo", "Emma", "Noah", "Olivia", "Liam", "Priya", "Chen",
    "Fatima", "Lucas", "Ingrid", "Mateo",
];

pub(super) const FAMILY: [&str; 24] = [
    "Nkosi",
    "van der Merwe",
    "Dlamini",
    "Smith",
    "Botha",
    "Mokoena",
    "Naidoo",
    "Johnson",
    "Khumalo",
    "Pretorius",
    "Garcia",
    "Miller",
    "Patel",
    "Okafor",
    "Martin",
    "Wilson",
    "Berg",
    "Novak",
    "Tanaka",
    "Silva",
    "Kowalski",
    "Andersson",
    "Mbeki",
    "Fischer",
];

pub(super) const ORGANISATIONS: [&str; 20] = [
    "Acme Trading",
    "Blue Crane Logistics",
    "Karoo Foods",
    "Table Bay Software",
    "Summit Health",
    "Northwind Retail",
    "Harbour Analytics",
    "Protea Media",
    "Copper Ridge Mining",
    "Lighthouse Law",
    "Meridian Travel",
    "Savanna Energy",
    "Cedar Furniture",
    "Quayside Books",
    "Granite Security",
    "Willow Clinics",
    "Orbit Robotics",
    "Fynbos Gardens",
    "Delta Printing",
    "Kite Education",
];

pub(super) const CITIES: [(&str, &str); 10] = [
    ("Denver", "CO"),
    ("Boulder", "CO"),
    ("Austin", "TX"),
    ("Portland", "OR"),
    ("Madison", "WI"),
    ("Boise", "ID"),
    ("Raleigh", "NC"),
    ("Tucson", "AZ"),
    ("Omaha", "NE"),
    ("Albany", "NY"),
];

pub(super) const GOODS: [(&str, u32); 8] = [
    ("Caramel Corn", 1200),
    ("Sweet and Salty Mix", 2500),
    ("Butter Light", 1800),
    ("White Cheddar", 2200),
    ("Chocolate Drizzle", 3000),
    ("Kettle Corn", 1500),
    ("Jalapeno Crunch", 2000),
    ("Family Tin", 4000),
];

/// A full name.
pub(super) fn name(number: usize) -> (&'static str, &'static str) {
    (GIVEN[number % GIVEN.len()], FAMILY[(number / GIVEN.len() + number * 7) % FAMILY.len()])
}

/// An email address that no two people share.
pub(super) fn email(number: usize) -> String {
    let (given, family) = name(number);
    let family: String = family.chars().filter(|c| c.is_ascii_alphabetic()).collect();
    format!("{}.{}{number}@example.com", given.to_lowercase(), family.to_lowercase())
}

/// An organisation that no two numbers share.
pub(super) fn organisation(number: usize) -> String {
    let name = ORGANISATIONS[number % ORGANISATIONS.len()];
    match number / ORGANISATIONS.len() {
        0 => name.to_owned(),
        branch => format!("{name} {}", branch + 1),
    }
}
